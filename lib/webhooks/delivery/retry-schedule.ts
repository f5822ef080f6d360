import { DAY, HOUR, MINUTE, SECOND } from "#runtime/durations";
import type { RetrySchedule } from "#runtime/environment";

/** The waits after failed attempts, in ms. Both schedules have eleven attempts. */
const WAITS_MS: Readonly<Record<RetrySchedule, readonly number[]>> = {
  /** About 76 hours, which outlast a weekend. */
  standard: [
    5 * SECOND,
    1 * MINUTE,
    5 * MINUTE,
    30 * MINUTE,
    2 * HOUR,
    5 * HOUR,
    10 * HOUR,
    14 * HOUR,
    20 * HOUR,
    24 * HOUR,
  ],
  /** About a minute. */
  practice: [1, 2, 3, 4, 5, 6, 8, 10, 12, 15].map((seconds) => seconds * SECOND),
};

/** The share by which a wait is randomly lengthened or shortened, so that retries do not arrive all at once. */
const JITTER = 0.2;

/** The longest wait that `Retry-After` can cause, in ms. */
const LONGEST_RETRY_AFTER_MS = DAY;

/**
 * The most receives of a message that fails because of the service's own faults: the delivery is then dead-lettered,
 * and recorded as failed. The retry queue's redrive policy allows five times as many, because SQS records nothing.
 */
export const RECEIVES = 20;

/**
 * How long to wait before the next attempt, in ms, or undefined after the last attempt. A wait of the schedule is
 * rounded to whole seconds: SQS delays messages in whole seconds, and the queue rounds up (`delivery-queue.ts`), which
 * would make every retry half a second late on average.
 *
 * @param attempt the attempt that failed, from 1
 * @param retryAfter the wait that the receiver requested, in ms
 * @param random from 0 to 1, as returned by `Math.random`
 */
export function nextAttemptIn(
  schedule: RetrySchedule,
  attempt: number,
  retryAfter: number | undefined,
  random: number,
): number | undefined {
  const wait = WAITS_MS[schedule][attempt - 1];
  if (wait === undefined) return undefined;
  const jittered = wait * (1 - JITTER + 2 * JITTER * random);
  return Math.max(Math.round(jittered / SECOND) * SECOND, Math.min(retryAfter ?? 0, LONGEST_RETRY_AFTER_MS));
}
