import { DAY, HOUR, MINUTE, SECOND } from "#runtime/durations";
import { amendment, anOperation, type Cast, REASONS } from "./operation-choice.ts";
import type { TimedOperation } from "./operations.ts";
import { SWEEPS_AT } from "./ordeals.ts";
import type { Random } from "./random.ts";
import type { Story } from "./story.ts";

/**
 * The length of a story: `hours`, for people who return and events that are redriven; `letters`, for deliveries
 * that have had all their attempts and are redriven; `sweeps`, for large writes while the notices of earlier ones
 * expire; a `week`, for receivers that fail until their endpoint is inactive; a `season`, for the tombstone of an
 * erased person, which is kept for a hundred days.
 */
export type Length = "minutes" | "hours" | "letters" | "sweeps" | "week" | "season";

/** Longer than a tombstone is kept, in ms: 100 days (docs/data-model.md). */
const SEASON = 101 * DAY;
/** In a week, when receivers have failed for long enough for their endpoints to become inactive, in ms. */
export const INACTIVE_AT = 5 * DAY + HOUR;
/**
 * In a story of dead letters, when the events of some of them happen, when the letters are redriven, and how long
 * that takes, in ms. All attempts of a delivery are made within 91 hours.
 */
const LETTERS_OF = HOUR;
export const LETTERS_AT = 93 * HOUR;
export const REDRIVING_MS = 5 * MINUTE;
/** How often some of the notices expire then, within how many ms, and the share of them that do each time. */
const EXPIRIES = { count: 6, within: 900, share: 0.4 };

/** The length of a story. Most take minutes: the others take more of the machine's time. */
export function lengthOf(random: Random): Length {
  return random.weighted<Length>({ minutes: 77, hours: 7, letters: 3, sweeps: 11, week: 3, season: 1 });
}

/** The steps long after the beginning, and their times. */
export function lateOperations(random: Random, length: Length, cast: Cast): TimedOperation[] {
  const several = (at: number, within: number): TimedOperation[] =>
    Array.from({ length: random.integer(2, 6) }, () => [
      at + random.integer(0, within),
      anOperation(random, cast),
    ]);
  const rejection = {
    name: "advance",
    person: 0,
    transition: "fail-validation",
    reason: random.fork("rejection").pick(REASONS),
  } as const;
  switch (length) {
    case "minutes":
      return [];
    case "hours":
      return [
        ...several(random.pick([1.5, 3, 23.5, 31]) * HOUR, 5 * SECOND),
        // A stream keeps its records for a day, and the retries of a delivery take longer.
        [17 * HOUR, { name: "redrive", queue: "events" }],
        [17 * HOUR, { name: "redrive", queue: "sweeps" }],
        [34 * HOUR, { name: "redrive", queue: "deliveries" }],
      ];
    case "letters":
      return [
        [LETTERS_OF, { name: "create", person: 0, isLarge: false }],
        [LETTERS_OF + SECOND, rejection],
        ...several(LETTERS_AT, REDRIVING_MS),
        // Two at once, and later ones for what those before them have received without a result.
        ...[0, 0, 0.3, 0.6, 0.9].map(
          (share): TimedOperation => [
            LETTERS_AT + REDRIVING_MS * share + random.integer(0, 5 * SECOND),
            { name: "redrive", queue: "deliveries" },
          ],
        ),
      ];
    case "sweeps":
      return SWEEPS_AT.flatMap((at) => [
        ...several(at, 500),
        ...largeWrites(random.fork(`large writes ${at}`), at, cast),
      ]);
    case "week":
      return [
        ...[1, 2, 3, 4, 5, 6].flatMap((day) =>
          several(day * DAY + random.integer(0, HOUR), SECOND).slice(0, 2),
        ),
        [INACTIVE_AT, { name: "create", person: 0, isLarge: false }],
        [INACTIVE_AT + SECOND, rejection],
      ];
    case "season": {
      const person = random.integer(0, cast.people.length - 1);
      return [
        ...several(SEASON, SECOND),
        [SEASON + MINUTE, { name: "advance", person, transition: "erase" }],
        [SEASON + 2 * HOUR, { name: "create", person, isLarge: false }],
        ...several(SEASON + 2 * HOUR, SECOND),
      ];
    }
  }
}

/** Large writes of a person while sweeps run, or the erasure of one whose large writes are long over. */
function largeWrites(random: Random, at: number, cast: Cast): TimedOperation[] {
  const person = random.integer(0, cast.people.length - 1);
  if (random.chance(0.3)) return [[at, { name: "advance", person, transition: "erase" }]];
  return Array.from({ length: random.integer(1, 4) }, () => [
    at + random.integer(0, 700),
    amendment(random, person, { ...cast, isLarge: true }),
  ]);
}

/** The times at which DynamoDB removes expired items, so that something is under way when it does. */
export function expiriesOf(random: Random, length: Length): Story["expiries"] {
  if (length === "sweeps") {
    const { count, within, share } = EXPIRIES;
    return SWEEPS_AT.flatMap((at) =>
      Array.from({ length: count }, () => ({ at: at + random.integer(0, within), share })),
    );
  }
  return length === "season" ? [SEASON - HOUR, SEASON + HOUR].map((at) => ({ at, share: 1 })) : [];
}
