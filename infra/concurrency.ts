import type { Concurrency, EnvironmentSettings } from "./environment-settings.ts";

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

/**
 * The executions that all functions without a reservation share, those of the account's other applications included.
 */
export function unreservedConcurrency({ account, reserved }: Concurrency): number {
  return Object.values(reserved).reduce((left, executions) => left - executions, account);
}

/**
 * Why AWS would refuse the reservations during a deployment. Not a problem of the settings alone: a new account's quota
 * may be too low for production and does not concern development.
 */
export function quotaProblem({ name, concurrency }: EnvironmentSettings): string | undefined {
  if (!concurrency) return undefined;
  const { account } = concurrency;
  const unreserved = unreservedConcurrency(concurrency);
  if (unreserved >= LEAST_UNRESERVED) return undefined;
  return `${name} reserves ${account - unreserved} of the account's ${account} concurrent executions, but AWS Lambda requires ${LEAST_UNRESERVED} unreserved ones. Raise the quota, reserve less, or leave concurrency out in infra/environments.ts.`;
}
