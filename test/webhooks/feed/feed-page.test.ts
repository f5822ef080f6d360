import fc from "fast-check";
import { describe, expect, test } from "vitest";
import type { EventType } from "#contract/events";
import type { FeedItem } from "#webhooks/feed/feed-item";
import { type FeedPosition, type FeedRead, feedPage } from "#webhooks/feed/feed-page";
import { anEvent } from "../builders.ts";

const UNTIL = "2026-06-01T12:00:00.000Z";
const TYPES = ["candidate.received", "candidate.verified"] as const satisfies readonly EventType[];

/** A feed of four shards: at each moment an item of one to three events in one of them. */
const aFeed = fc
  .array(
    fc.record({
      shard: fc.integer({ min: 0, max: 3 }),
      types: fc.array(fc.constantFrom(...TYPES), { minLength: 1, maxLength: 3 }),
    }),
    { maxLength: 40 },
  )
  .map((items) =>
    items.map(({ shard, types }, index) => ({
      shard,
      position: `2026-06-01T11:00:00.${String(index).padStart(3, "0")}Z#0000000000000000#00`,
      events: types.map((type) => anEvent({ type })),
    })),
  );

/** What a query of each shard returns: so many items from a position on. */
function readFrom(
  feed: readonly (FeedItem & { readonly shard: number })[],
  from: string,
  most: number,
): FeedRead {
  const shards = [0, 1, 2, 3].map((shard) => {
    const left = feed.filter((item) => item.shard === shard && item.position >= from);
    return { items: left.slice(0, most), hasMore: left.length >= most };
  });
  return { shards, until: UNTIL };
}

describe("following the pages of a feed", () => {
  test("returns every event of the given types once, in the order of publication", () => {
    fc.assert(
      fc.property(
        aFeed,
        fc.integer({ min: 1, max: 5 }),
        fc.integer({ min: 2, max: 6 }),
        fc.constantFrom(undefined, [TYPES[0]], [TYPES[1]]),
        (feed, limit, most, types) => {
          const received: string[] = [];
          let at: FeedPosition = { position: "2026-06-01T10:00:00.000Z", eventsRead: 0 };
          for (let hasMore = true; hasMore; ) {
            const page = feedPage(readFrom(feed, at.position, most), at, { limit, types });
            expect(page.events.length).toBeLessThanOrEqual(limit);
            expect(page.hasMore && page.next).not.toEqual(at);
            received.push(...page.events.map(({ id }) => id));
            ({ hasMore, next: at } = page);
          }

          const expected = feed
            .flatMap(({ events }) => events)
            .filter(({ type }) => !types || types.some((each) => each === type));
          expect(received).toEqual(expected.map(({ id }) => id));
          expect(at).toEqual({ position: UNTIL, eventsRead: 0 });
        },
      ),
    );
  });
});

test("a page has all events that were read of the shard that ends first", () => {
  const items = Array.from({ length: 8 }, (_, index) => ({
    position: `2026-06-01T11:00:00.00${index}Z#0000000000000000#00`,
    events: [anEvent()],
  }));
  const begin = { position: "2026-06-01T10:00:00.000Z", eventsRead: 0 };

  const page = feedPage({ shards: [{ items, hasMore: true }], until: UNTIL }, begin, { limit: 100 });

  expect(page.events).toEqual(items.flatMap(({ events }) => events));
});

test("a reader whose position is ahead of the clock stays there", () => {
  const ahead = { position: "2026-06-01T12:00:01.000Z#0000000000000000#00", eventsRead: 3 };

  expect(feedPage({ shards: [], until: UNTIL }, ahead, { limit: 10 })).toEqual({
    events: [],
    next: ahead,
    hasMore: false,
  });
});
