import { MINUTE } from "#runtime/durations";

/** A response that takes this long is late, in ms. Its endpoint is suspected: a healthy receiver may be late once. */
export const LATE_AFTER_MS = 1_000;

/** How long an endpoint may be suspected, in ms: a late response after that makes it slow. */
const SUSPECTED_FOR_MS = 10_000;

/**
 * When an endpoint of which an attempt was cut counts as fast again: after this number of fast responses in a row, and
 * not before this time.
 */
const FAST_AGAIN = { responses: 20, afterMs: 10 * MINUTE } as const;

/** How fast an endpoint responds. */
export interface Pace {
  /** Since when its address has been unproven, because it is new or was changed; absent after a success. */
  readonly unprovenSince?: string;
  /** Since when it may be slow, because a response took too long; absent once one is fast. */
  readonly suspectedSince?: string;
  /** Since when it is on probation, because an attempt from the delivery queue was cut; absent while it is slow. */
  readonly probationSince?: string;
  /** When it became slow: an attempt from the side queue was cut, or its responses stayed late. */
  readonly slowSince?: string;
  /**
   * How many responses in a row have been fast, while it is on probation or slow. Absent before the first one; 0 if a
   * failure interrupted some. A late response removes the count.
   */
  readonly fastResponses?: number;
}

/** The attributes that hold an endpoint's pace. */
export const PACE_ATTRIBUTES = [
  "unprovenSince",
  "suspectedSince",
  "probationSince",
  "slowSince",
  "fastResponses",
] as const satisfies (keyof Pace)[];

/**
 * An endpoint's pace after a success, or undefined if it is unchanged.
 *
 * @param durationMs how long the response took
 */
export function paceAfter(pace: Pace, durationMs: number, now: Date): Pace | undefined {
  return durationMs < LATE_AFTER_MS ? afterFast(pace, now) : afterLate(pace, now);
}

/** An endpoint's pace after an attempt from the side queue that failed late, or undefined if it is unchanged. */
export function paceAfterLateFailure(pace: Pace, now: Date): Pace | undefined {
  const { unprovenSince, slowSince } = pace;
  if (slowSince !== undefined) return undefined;
  const after = afterLate(pace, now);
  return after && unprovenSince !== undefined ? { ...after, unprovenSince } : after;
}

/**
 * An endpoint's pace after an attempt was cut. One from the delivery queue, where only fast endpoints have attempts,
 * puts it on probation; one from the side queue makes it slow.
 */
export function paceAfterCut(lane: "delivery" | "side", now: Date): Pace {
  return lane === "delivery" ? { probationSince: now.toISOString() } : { slowSince: now.toISOString() };
}

function afterFast(
  { unprovenSince, suspectedSince, probationSince, slowSince, fastResponses = 0 }: Pace,
  now: Date,
): Pace | undefined {
  const cutSince = slowSince ?? probationSince;
  if (cutSince === undefined) {
    return unprovenSince === undefined && suspectedSince === undefined ? undefined : {};
  }
  const counted = Math.min(fastResponses + 1, FAST_AGAIN.responses);
  const isDue = now.getTime() - Date.parse(cutSince) >= FAST_AGAIN.afterMs;
  if (counted === FAST_AGAIN.responses && isDue) return {};
  const kept = slowSince === undefined ? { probationSince: cutSince } : { slowSince };
  return counted > fastResponses ? { ...kept, fastResponses: counted } : undefined;
}

function afterLate(
  { unprovenSince, suspectedSince, probationSince, slowSince, fastResponses }: Pace,
  now: Date,
): Pace | undefined {
  if (slowSince !== undefined) return fastResponses ? { slowSince } : undefined;
  // What is known of a former address says nothing about this one. Only at a former address can an unproven endpoint
  // have been cut from the delivery queue.
  const cutSince = fastResponses === undefined && unprovenSince === undefined ? probationSince : undefined;
  const lateSince = suspectedSince ?? cutSince;
  if (lateSince === undefined || lateSince < (unprovenSince ?? "")) {
    return { ...(probationSince && { probationSince }), suspectedSince: now.toISOString() };
  }
  return isSuspectedLong(lateSince, now) ? { slowSince: now.toISOString() } : undefined;
}

function isSuspectedLong(since: string, now: Date): boolean {
  return now.getTime() - Date.parse(since) >= SUSPECTED_FOR_MS;
}
