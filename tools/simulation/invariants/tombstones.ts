import { DAY } from "#runtime/durations";
import type { StoryOutcome } from "../outcome.ts";
import { eventsOf, recordsOf, writesOf } from "./evidence.ts";
import type { Invariant } from "./invariant.ts";
import { CLOCKS_MS } from "./times.ts";

/** When what was kept of an erased person went. */
export function tombstonesGone(outcome: StoryOutcome, key: string): number[] {
  return writesOf(outcome, key).flatMap(({ at, item }) => (item ? [] : [at]));
}

/** How long a tombstone stays, in ms, less what clocks are apart (docs/data-model.md). */
const TOMBSTONE_MS = 100 * DAY - CLOCKS_MS;

export const tombstonesStay: Invariant = {
  sentence: "The tombstone of an erased candidate is kept for a hundred days.",
  *violations(outcome) {
    for (const key of recordsOf(outcome).keys()) {
      const erasures = eventsOf(outcome, key).filter(({ type }) => type === "candidate.erased");
      for (const goneAt of tombstonesGone(outcome, key)) {
        const erased = erasures.findLast(({ at }) => at <= goneAt);
        if (!erased || goneAt - erased.at < TOMBSTONE_MS)
          yield `the tombstone ${key} was removed at ${new Date(goneAt).toISOString()}`;
      }
    }
  },
};

/** All that is kept of an erased person (docs/data-model.md). */
const TOMBSTONE: ReadonlySet<string> = new Set([
  "pk",
  "sk",
  "status",
  "receivedAt",
  "promotedAt",
  "updatedAt",
  "sequence",
  "firstSequence",
  "event",
  "writeId",
  "itemVersion",
  "deleteAfter",
]);

export const tombstonesKeepNothingElse: Invariant = {
  sentence: "A tombstone contains its key, status, times, sequence and last event, and nothing else.",
  *violations(outcome) {
    for (const key of recordsOf(outcome).keys()) {
      for (const { item } of writesOf(outcome, key)) {
        if (item?.["status"] !== "erased") continue;
        const others = Object.keys(item).filter((name) => item[name] !== undefined && !TOMBSTONE.has(name));
        if (others.length > 0) yield `the tombstone ${key} contains ${others.join()}`;
      }
    }
  },
};
