import type { AbridgedEvent } from "#candidates/outbox/abridged-event";
import type { EventType } from "#contract/events";
import type { FeedItem } from "#webhooks/feed/feed-item";

/** The items read of each shard of an organisation's feed, from a position to a time. */
export interface FeedRead {
  readonly shards: readonly { readonly items: readonly FeedItem[]; readonly hasMore: boolean }[];
  readonly until: string;
}

/** Where a reader is: at an item, of which it has read some events, or at a time. */
export interface FeedPosition {
  readonly position: string;
  readonly eventsRead: number;
}

interface FeedPage {
  readonly events: readonly AbridgedEvent[];
  readonly next: FeedPosition;
  /** Whether there are more items to read now; they may have no event of the given types. */
  readonly hasMore: boolean;
}

/**
 * The next events after a position, in the order of all shards together. A shard of which only a part was read may
 * have items before those of another shard, so the page ends where the first of these parts ends.
 */
export function feedPage(
  { shards, until }: FeedRead,
  after: FeedPosition,
  { limit, types }: { readonly limit: number; readonly types?: readonly EventType[] | undefined },
): FeedPage {
  const readTo = shards.reduce((earliest, { items, hasMore }) => {
    const last = hasMore ? items.at(-1)?.position : undefined;
    return last !== undefined && last < earliest ? last : earliest;
  }, until);
  const items = shards
    .flatMap((shard) => shard.items)
    .filter(({ position }) => position <= readTo)
    .sort((left, right) => (left.position < right.position ? -1 : 1));
  const events: AbridgedEvent[] = [];
  for (const item of items) {
    const first = item.position === after.position ? after.eventsRead : 0;
    for (const [index, event] of item.events.entries()) {
      if (index < first || (types && !types.includes(event.type))) continue;
      if (events.length === limit) {
        return { events, next: { position: item.position, eventsRead: index }, hasMore: true };
      }
      events.push(event);
    }
  }
  if (readTo < until) {
    return {
      events,
      next: { position: readTo, eventsRead: items.at(-1)?.events.length ?? 0 },
      hasMore: true,
    };
  }
  // Another clock may be ahead of this one.
  const next = until > after.position ? { position: until, eventsRead: 0 } : after;
  return { events, next, hasMore: false };
}
