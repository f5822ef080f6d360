import { EVENT_TYPES } from "#contract/events";
import { HOUR } from "#runtime/durations";
import { type FeedRead, FeedReader, type Selection } from "./feed-reader.ts";
import type { Access } from "./last-reads.ts";
import type { Step } from "./operations.ts";
import type { Random } from "./random.ts";
import type { VirtualClock } from "./virtual-clock.ts";

/** A reader makes two requests after each step, each within one of these times, in ms. */
const POLLS_MS = [3_000, 20_000];
/** The feed has every event of this time, in ms: 29 days. */
const SELECTED_MS = 29 * 24 * HOUR;

/** What readers of the feed go through, and their time. */
export interface FeedAccess extends Access {
  readonly clock: VirtualClock;
}

/** A reader of the event feed of each organisation that has people in a story. */
export class FeedReaders {
  readonly #clock: VirtualClock;
  readonly #readers: readonly FeedReader[];

  constructor({ story, callers, gateway, clock }: FeedAccess, selection: Selection = {}) {
    this.#clock = clock;
    this.#readers = [...new Set(story.people.map(({ orgId }) => orgId))].map(
      (orgId) =>
        new FeedReader(
          orgId,
          (query) => gateway.send(callers.request(orgId, "list-events", { query })),
          () => clock.now(),
          selection,
        ),
    );
  }

  /** Each reader requests a page soon after each step, when events are about to be published. */
  pollAfter(steps: readonly Step[], random: Random): void {
    for (const reader of this.#readers) {
      for (const { at } of steps) {
        for (const wait of POLLS_MS) {
          const limit = random.pick([1, 3, 100]);
          this.#clock.after(at + random.integer(0, wait), () => void reader.poll(limit));
        }
      }
    }
  }

  /** Each reader reads to the end, in pages of a size. */
  async readOn(limit: number): Promise<readonly FeedRead[]> {
    for (const reader of this.#readers) {
      let isDone = false;
      void reader.readOn(limit).then(() => {
        isDone = true;
      });
      await this.#clock.run(this.#clock.now() + HOUR, () => isDone);
    }
    return this.#readers;
  }
}

/** Some event types, since the time of one of the events that the feeds have, or from the oldest event on. */
export function selectionFrom(feeds: readonly FeedRead[], random: Random, now: number): Selection {
  const recent = feeds
    .flatMap(({ events }) => events.map(({ occurredAt }) => occurredAt))
    .filter((occurredAt) => Date.parse(occurredAt) > now - SELECTED_MS);
  const types = EVENT_TYPES.filter(() => random.chance(0.5));
  return { types, ...(recent.length > 0 && random.chance(0.7) && { since: random.pick(recent) }) };
}
