import * as z from "zod";
import type { LocalFunction } from "../lambda/local-function.ts";
import type { AuthorizerDefinition } from "./definition.ts";
import { type GatewayRequest, headerOf } from "./request.ts";
import type { GatewayResponseType } from "./response.ts";

const OneOrMany = z
  .union([z.string(), z.array(z.string())])
  .transform((given) => (typeof given === "string" ? [given] : given));

/** The output of an authorizer's function (API Gateway developer guide, Lambda authorizers). */
const AuthorizerOutput = z.object({
  principalId: z.string(),
  policyDocument: z.object({
    Statement: z.array(
      z.object({ Effect: z.enum(["Allow", "Deny"]), Action: OneOrMany, Resource: OneOrMany }),
    ),
  }),
  context: z.record(z.string(), z.union([z.string(), z.number(), z.boolean()])).default({}),
});
type AuthorizerOutput = z.infer<typeof AuthorizerOutput>;

const Thrown = z.object({ errorMessage: z.string() });

type Refusal = Extract<
  GatewayResponseType,
  "UNAUTHORIZED" | "ACCESS_DENIED" | "AUTHORIZER_FAILURE" | "AUTHORIZER_CONFIGURATION_ERROR"
>;

/** The caller's context for the integration, with every value as a string; or the type of refusal. */
export type Authorization =
  | { readonly allowed: true; readonly context: Readonly<Record<string, string>> }
  | { readonly allowed: false; readonly refusal: Refusal };

/** A REQUEST authorizer: its function identifies the caller, and results are cached for the template's TTL. */
export class Authorizer {
  readonly #definition: AuthorizerDefinition;
  readonly #function: LocalFunction;
  readonly #now: () => number;
  /** By identity. Times are in ms since 1970. */
  readonly #cache = new Map<string, { readonly output: AuthorizerOutput; readonly until: number }>();

  constructor(definition: AuthorizerDefinition, localFunction: LocalFunction, now = Date.now) {
    this.#definition = definition;
    this.#function = localFunction;
    this.#now = now;
  }

  /** @param event creates the authorizer function's event; called only if the function is invoked */
  async authorize(request: GatewayRequest, methodArn: string, event: () => unknown): Promise<Authorization> {
    const identity = this.#definition.identityHeaders.map((name) => headerOf(request, name));
    // API Gateway does not invoke the function if an identity source is missing or empty.
    if (identity.some((value) => !value)) return { allowed: false, refusal: "UNAUTHORIZED" };

    const key = JSON.stringify(identity);
    const cached = this.#cache.get(key);
    const output = cached && cached.until > this.#now() ? cached.output : await this.#invoke(event());
    if (typeof output === "string") return { allowed: false, refusal: output };
    if (output !== cached?.output) this.#store(key, output);
    // A cached policy is evaluated again for each method.
    if (!allows(output, methodArn)) return { allowed: false, refusal: "ACCESS_DENIED" };
    return {
      allowed: true,
      context: {
        ...Object.fromEntries(Object.entries(output.context).map(([name, value]) => [name, String(value)])),
        principalId: output.principalId,
      },
    };
  }

  async #invoke(event: unknown): Promise<AuthorizerOutput | Refusal> {
    const { payload, functionError } = await this.#function.invoke(JSON.stringify(event));
    if (functionError) {
      // Only this exact message yields a 401 (API Gateway developer guide, Lambda authorizers).
      return Thrown.parse(JSON.parse(payload)).errorMessage === "Unauthorized"
        ? "UNAUTHORIZED"
        : "AUTHORIZER_FAILURE";
    }
    const output = AuthorizerOutput.safeParse(JSON.parse(payload));
    return output.success ? output.data : "AUTHORIZER_CONFIGURATION_ERROR";
  }

  #store(key: string, output: AuthorizerOutput): void {
    const now = this.#now();
    for (const [old, { until }] of this.#cache) if (until <= now) this.#cache.delete(old);
    const { cacheSeconds, identityHeaders } = this.#definition;
    if (identityHeaders.length > 0) {
      this.#cache.set(key, { output, until: now + cacheSeconds * 1000 });
    }
  }
}

function allows({ policyDocument }: AuthorizerOutput, methodArn: string): boolean {
  const effects = policyDocument.Statement.filter(
    ({ Action, Resource }) =>
      Action.some((action) => matchesWildcard(action.toLowerCase(), "execute-api:invoke")) &&
      Resource.some((resource) => matchesWildcard(resource, methodArn)),
  ).map(({ Effect }) => Effect);
  return effects.includes("Allow") && !effects.includes("Deny");
}

/** IAM wildcards: `*` matches any text, including slashes; `?` matches one character. */
function matchesWildcard(pattern: string, text: string): boolean {
  const expression = pattern
    .replaceAll(/[.+^${}()|[\]\\]/g, "\\$&")
    .replaceAll("*", ".*")
    .replaceAll("?", ".");
  return new RegExp(`^${expression}$`, "s").test(text);
}
