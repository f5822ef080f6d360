import type { EnvironmentSettings } from "./environments.ts";

/** The functions that could use up the account's executions, or whose callers must not wait for others' load. */
type CrowdedFunction = "authorize-request" | "create-candidate" | "deliver-webhook" | "publish-events";

/** How the executions that an account may have under way at once are shared out. */
export interface Concurrency {
  /** The account's quota in the region: 1,000 by default, as little as 10 in a new account (AWS Lambda quotas). */
  readonly account: number;
  /** What a function has for itself, and never exceeds. All others share what is left. */
  readonly reserved: Readonly<Record<CrowdedFunction, number>>;
}

/** AWS Lambda refuses reservations that leave the account's other functions less. */
const LEAST_UNRESERVED = 100;

/** A function's reservation, as a property of the function. */
export function reservedConcurrency(
  { concurrency }: EnvironmentSettings,
  functionName: string,
): { readonly reservedConcurrentExecutions?: number } {
  const reserved: Readonly<Record<string, number>> = concurrency?.reserved ?? {};
  const reservedConcurrentExecutions = reserved[functionName];
  return reservedConcurrentExecutions === undefined ? {} : { reservedConcurrentExecutions };
}

/** @throws Error when AWS would refuse the reservations in the middle of a deployment */
export function checkConcurrency({ name, concurrency, webhooks }: EnvironmentSettings): void {
  if (!concurrency) return;
  const { account, reserved } = concurrency;
  const total = Object.values(reserved).reduce((sum, executions) => sum + executions, 0);
  if (account - total < LEAST_UNRESERVED) {
    throw new Error(
      `${name} reserves ${total} of the account's ${account} concurrent executions, and AWS Lambda asks for ${LEAST_UNRESERVED} unreserved ones: raise the quota or reserve less in infra/environments.ts.`,
    );
  }
  const batches = webhooks.deliveryConcurrency + webhooks.retryConcurrency;
  if (reserved["deliver-webhook"] < batches) {
    throw new Error(
      `${name} delivers ${batches} batches at once, and reserves ${reserved["deliver-webhook"]} executions for them: a batch that finds none counts as received, and may end as a dead letter.`,
    );
  }
}
