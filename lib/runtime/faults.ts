import { isThrottlingError, isTransientError } from "@smithy/core/retry";

/** Whether an AWS call failed for a transient reason: throttling, a timeout, a fault on AWS's side. */
export function isTransientFault(thrown: unknown): boolean {
  if (!(thrown instanceof Error)) return false;
  const error = thrown as Parameters<typeof isTransientError>[0];
  return isThrottlingError(error) || isTransientError(error);
}
