const MINUTE = 60 * 1000;

/** An endpoint is suspected after this time without a response, in ms: a healthy receiver may be late once. */
export const SLOW_AFTER = 1_000;

/** How long an endpoint may be suspected, in ms: a late response after that makes it slow. */
const SUSPECTED_FOR = 10_000;

/** When a slow endpoint counts as fast again: after this number of fast responses in a row, and not before this time. */
const FAST_AGAIN = { responses: 20, afterMs: 10 * MINUTE } as const;

/** How fast an endpoint responds. */
export interface Pace {
  /** Since when its address has been unproven, because it is new or was changed; absent once a response is fast. */
  readonly unprovenSince?: string;
  /** Since when it may be slow, because a response took too long; absent once one is fast. */
  readonly suspectedSince?: string;
  /** When it became slow: an attempt was cut, or its responses stayed late. Absent while it is fast or only suspected. */
  readonly slowSince?: string;
  /** How many of its last responses were fast, while it is slow; absent if none. */
  readonly fastResponses?: number;
}

/** The attributes that hold an endpoint's pace. */
export const PACE_ATTRIBUTES = [
  "unprovenSince",
  "suspectedSince",
  "slowSince",
  "fastResponses",
] as const satisfies (keyof Pace)[];

/**
 * An endpoint's pace after a success, or undefined if it is unchanged.
 *
 * @param durationMs how long the response took
 */
export function paceAfter(
  { unprovenSince, suspectedSince, slowSince, fastResponses = 0 }: Pace,
  durationMs: number,
  now: Date,
): Pace | undefined {
  const isFast = durationMs < SLOW_AFTER;
  if (slowSince === undefined) {
    if (isFast) return unprovenSince === undefined && suspectedSince === undefined ? undefined : {};
    if (unprovenSince !== undefined) return undefined;
    if (suspectedSince === undefined) return { suspectedSince: now.toISOString() };
    const isLateStill = now.getTime() - Date.parse(suspectedSince) >= SUSPECTED_FOR;
    return isLateStill ? { slowSince: now.toISOString() } : undefined;
  }
  if (!isFast) return fastResponses > 0 ? { slowSince } : undefined;
  const counted = Math.min(fastResponses + 1, FAST_AGAIN.responses);
  const isDue = now.getTime() - Date.parse(slowSince) >= FAST_AGAIN.afterMs;
  if (counted === FAST_AGAIN.responses && isDue) return {};
  return counted > fastResponses ? { slowSince, fastResponses: counted } : undefined;
}
