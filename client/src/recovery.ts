import { isObject } from "./checks.ts";
import type { RecoveryRequest } from "./contract-types.ts";
import { assertMember, TIME } from "./query.ts";
import type { ReadOnly } from "./read-only.ts";

/** Which events a recovery sends. */
export interface StartRecoveryRequest extends Omit<ReadOnly<RecoveryRequest>, "since" | "until"> {
  /** The time of the first events: an RFC 3339 date-time, or a `Date`. The feed must still contain them. */
  readonly since: string | Date;
  /** The time of the last events, within a second. If it is omitted or in the future, the time of the call. */
  readonly until?: string | Date | undefined;
}

/**
 * The body of a request to start a recovery. JSON has a `Date` as its date-time, and an invalid one as null.
 *
 * @throws TypeError if a time is neither
 */
export function recoveryBody(request: StartRecoveryRequest): StartRecoveryRequest {
  // Anything else is refused as the body of any request is.
  if (!isObject(request)) return request;
  assertMember("since", request.since, TIME);
  if (request.until !== undefined) assertMember("until", request.until, TIME);
  return request;
}
