import { mostBatches } from "./delivery-limits.ts";
import type { EnvironmentSettings } from "./environments.ts";

/** AWS Lambda refuses reservations that leave fewer for the account's other functions. */
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

/** Why AWS would refuse the reservations during a deployment, or would dead-letter batches because of them. */
export function concurrencyProblems({ name, concurrency, webhooks }: EnvironmentSettings): string[] {
  if (!concurrency) return [];
  const problems: string[] = [];
  const { account, reserved } = concurrency;
  const total = Object.values(reserved).reduce((sum, executions) => sum + executions, 0);
  if (account - total < LEAST_UNRESERVED) {
    problems.push(
      `${name} reserves ${total} of the account's ${account} concurrent executions, but AWS Lambda requires ${LEAST_UNRESERVED} unreserved ones. Raise the quota, reserve less, or leave concurrency out in infra/environments.ts.`,
    );
  }
  for (const [consumer, batches] of [
    ["deliver-webhook", mostBatches(webhooks.deliveryConcurrency)],
    ["deliver-aside", mostBatches(webhooks.sideConcurrency)],
    ["retry-webhook", mostBatches(webhooks.retryConcurrency)],
  ] as const) {
    if (reserved[consumer] >= batches) continue;
    problems.push(
      `${consumer} of ${name} processes ${batches} batches at once, but reserves only ${reserved[consumer]} executions. A batch without an execution counts as received, and may be dead-lettered.`,
    );
  }
  return problems;
}
