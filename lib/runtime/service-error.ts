import { InternalError, ServiceError, ServiceUnavailable } from "#contract/errors";
import { isTransientFault } from "#runtime/faults";

/** The error that a caller gets: a 503 for a transient fault of AWS, a 500 for any other fault. */
export function serviceErrorOf(thrown: unknown): ServiceError {
  if (thrown instanceof ServiceError) return thrown;
  return isTransientFault(thrown)
    ? new ServiceUnavailable({ cause: thrown })
    : new InternalError({ cause: thrown });
}
