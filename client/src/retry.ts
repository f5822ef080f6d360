import type { CandidateServiceError } from "./error.ts";

/** The longest that the wait before the second attempt may be; it doubles with each attempt. In ms. */
const FIRST_WAIT_MS = 250;
/** No wait of the client's own is longer. In ms. */
const LONGEST_WAIT_MS = 20_000;
/** A service that asks to wait longer than this is not waited for: the caller is told. In ms. */
const LONGEST_RETRY_AFTER_MS = 60_000;

const PASSING_STATUS = new Set([500, 502, 503, 504]);

interface FailedAttempt {
  readonly error: CandidateServiceError;
  /** Whether doing the operation twice leaves what doing it once leaves. */
  readonly idempotent: boolean;
  /** From 0 up to, but not including, 1. */
  readonly random: number;
}

/**
 * How long to wait before the call is tried again, in ms, or undefined when it must not be: exponential
 * backoff with full jitter, and never less than `Retry-After`.
 *
 * A 429 is refused before anything is done, so every call is repeated after it. After a lost connection,
 * a timeout or a 5xx nobody knows what was done: only an idempotent call is.
 */
export function waitBeforeRetryMs({ error, idempotent, random }: FailedAttempt): number | undefined {
  if (!mayRepeat(error, idempotent)) return undefined;
  const { retryAfterMs = 0, attempts } = error;
  if (retryAfterMs > LONGEST_RETRY_AFTER_MS) return undefined;
  const backoffMs = random * Math.min(LONGEST_WAIT_MS, FIRST_WAIT_MS * 2 ** (attempts - 1));
  return retryAfterMs + backoffMs;
}

function mayRepeat({ code, status }: CandidateServiceError, idempotent: boolean): boolean {
  if (status === 429) return true;
  if (!idempotent) return false;
  return status === undefined
    ? code === "connection_failed" || code === "timeout"
    : PASSING_STATUS.has(status);
}

/** `Retry-After` in ms (RFC 9110 section 10.2.3): seconds, or a date. */
export function parseRetryAfter(value: string | null, now = Date.now()): number | undefined {
  if (value === null) return undefined;
  if (/^\d+$/.test(value)) return Number(value) * 1000;
  const date = Date.parse(value);
  return Number.isNaN(date) ? undefined : Math.max(0, date - now);
}

/** Waits; ends at once with the signal's reason when it is aborted. */
export function wait(ms: number, signal: AbortSignal | undefined): Promise<void> {
  signal?.throwIfAborted();
  return new Promise((resolve, reject) => {
    const abort = () => {
      clearTimeout(timer);
      reject(signal?.reason);
    };
    const timer = setTimeout(() => {
      signal?.removeEventListener("abort", abort);
      resolve();
    }, ms);
    signal?.addEventListener("abort", abort, { once: true });
  });
}
