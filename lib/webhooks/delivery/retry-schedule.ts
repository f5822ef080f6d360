const SECOND = 1_000;
const MINUTE = 60 * SECOND;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;

/** How long after a failed attempt the next one follows, in ms: nine attempts in all over some 28 hours. */
const WAITS = [
  5 * SECOND,
  1 * MINUTE,
  5 * MINUTE,
  30 * MINUTE,
  2 * HOUR,
  5 * HOUR,
  10 * HOUR,
  10 * HOUR,
] as const;

/** The share by which a wait is lengthened or shortened at random, so that failures do not come back at once. */
const JITTER = 0.2;

/** The longest wait that a receiver's `Retry-After` is given, in ms. */
const LONGEST_RETRY_AFTER = DAY;

/**
 * How often a message is received that faults of ours bring back: the delivery is then dead-lettered, and recorded
 * as failed. SQS's own redrive policy allows five times as many, for it records nothing.
 */
export const RECEIVES = 20;

/**
 * How long to wait before the next attempt, in ms, or undefined after the last attempt.
 *
 * @param attempt the attempt that failed, from 1
 * @param retryAfter what the receiver asked to wait, in ms
 * @param random from 0 to 1, as `Math.random` gives
 */
export function nextAttemptIn(
  attempt: number,
  retryAfter: number | undefined,
  random: number,
): number | undefined {
  const wait = WAITS[attempt - 1];
  if (wait === undefined) return undefined;
  const jittered = wait * (1 - JITTER + 2 * JITTER * random);
  return Math.max(Math.round(jittered), Math.min(retryAfter ?? 0, LONGEST_RETRY_AFTER));
}
