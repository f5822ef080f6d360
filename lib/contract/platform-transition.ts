import * as z from "zod/mini";
import { InvalidRequest, NotFound } from "#contract/errors";
import { parse } from "#contract/parse";
import { type Reason, Reasons } from "#contract/reason";
import { object } from "#contract/values";

/** The lifecycle transitions of the platform. Partners perform them only where there is a sandbox. */
export const PLATFORM_TRANSITIONS = [
  "verify",
  "promote",
  "fail-validation",
  "revoke-consent",
  "erase",
] as const;
const PlatformTransition = /* @__PURE__ */ z.enum(PLATFORM_TRANSITIONS);
export type PlatformTransition = z.infer<typeof PlatformTransition>;

/** The body of a sandbox transition. Only `fail-validation` has reasons, and requires them. */
export const SandboxTransitionRequest = /* @__PURE__ */ object({
  reasons: /* @__PURE__ */ z.optional(Reasons),
});
export type SandboxTransitionRequest = z.infer<typeof SandboxTransitionRequest>;

/**
 * The transition that a path names.
 *
 * @throws NotFound if there is none of this name
 */
export function parseTransition(name: string): PlatformTransition {
  const { data } = PlatformTransition.safeParse(name);
  if (data !== undefined) return data;
  throw new NotFound(`There is no such transition. The transitions are ${PLATFORM_TRANSITIONS.join(", ")}.`);
}

/**
 * The reasons of a sandbox transition: those in its body, if it is `fail-validation`.
 *
 * @throws InvalidRequest if they are missing or malformed, or the transition has none
 */
export function reasonsOf(
  transition: PlatformTransition,
  { reasons }: SandboxTransitionRequest,
): readonly Reason[] | undefined {
  if (transition === "fail-validation") return parse(Reasons, reasons, "reasons");
  if (reasons) throw new InvalidRequest("reasons: only fail-validation has reasons; send no body");
  return undefined;
}
