import type { CandidateServiceError } from "./error.ts";
import { wasNotSent } from "./system-reason.ts";

/** The longest wait before the second attempt. It doubles with each attempt. In ms. */
const FIRST_WAIT_MS = 250;
/** The longest backoff. `Retry-After` is added to it. In ms. */
const LONGEST_WAIT_MS = 20_000;
/** If the service requests a longer wait than this, the call fails instead. In ms. */
export const LONGEST_RETRY_AFTER_MS = 60_000;
/** A patient call is repeated after this time, even if the service requests a longer wait. In ms. */
const LONGEST_PATIENCE_MS = 3_600_000;

const PASSING_STATUS = new Set([500, 502, 503, 504]);

interface FailedAttempt {
  readonly error: CandidateServiceError;
  /** Whether repeating the operation has no further effect. */
  readonly idempotent: boolean;
  /** Whether to wait when `Retry-After` is long, for up to {@link LONGEST_PATIENCE_MS}. */
  readonly patient?: boolean;
  /** From 0 up to, but not including, 1. */
  readonly random: number;
}

/**
 * The wait before the next attempt, in whole ms, or undefined if the call must not be retried: {@link backoffMs}, and
 * never less than `Retry-After`, except for a patient call.
 *
 * A 429 is returned before anything is done, so every call is retried after it. After a lost connection, a timeout
 * or a 5xx it is unknown what was done, so only idempotent calls are retried.
 */
export function waitBeforeRetryMs({
  error,
  idempotent,
  patient = false,
  random,
}: FailedAttempt): number | undefined {
  if (!mayPass(error) || !(idempotent || error.status === 429)) return undefined;
  const { retryAfterMs = 0, attempts } = error;
  if (retryAfterMs > LONGEST_RETRY_AFTER_MS && !patient) return undefined;
  return Math.min(retryAfterMs, LONGEST_PATIENCE_MS) + backoffMs(attempts, random);
}

/**
 * Exponential backoff with full jitter, in whole ms, because users log it.
 *
 * @param attempts the number of attempts made
 * @param random from 0 up to, but not including, 1
 */
export function backoffMs(attempts: number, random: number): number {
  return Math.round(random * Math.min(LONGEST_WAIT_MS, FIRST_WAIT_MS * 2 ** (attempts - 1)));
}

/** Whether the call may succeed if it is repeated later. */
export function mayPass({ code, status }: CandidateServiceError): boolean {
  return status === undefined
    ? code === "connection_failed" || code === "timeout"
    : status === 429 || PASSING_STATUS.has(status);
}

/** Whether the service may have carried out a failed attempt: a 429 is returned before anything is done. */
export function mayHaveBeenDone({ status, cause }: CandidateServiceError): boolean {
  return status !== 429 && !wasNotSent(cause);
}
