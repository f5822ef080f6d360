import * as z from "zod/mini";
import { Reasons } from "#contract/reason";
import { object } from "#contract/values";

/** The lifecycle transitions of the platform. Partners perform them only where there is a sandbox. */
export const PLATFORM_TRANSITIONS = [
  "verify",
  "promote",
  "fail-validation",
  "revoke-consent",
  "erase",
] as const;
export const PlatformTransition = z.enum(PLATFORM_TRANSITIONS);
export type PlatformTransition = z.infer<typeof PlatformTransition>;

/** The body of a sandbox transition. Only `fail-validation` has reasons, and requires them. */
export const SandboxTransitionRequest = /* @__PURE__ */ object({
  reasons: /* @__PURE__ */ z.optional(Reasons),
});
export type SandboxTransitionRequest = z.infer<typeof SandboxTransitionRequest>;
