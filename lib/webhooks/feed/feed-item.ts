import { deflateRawSync, inflateRawSync } from "node:zlib";
import * as z from "zod/mini";
import { AbridgedEvent } from "#candidates/outbox/abridged-event";
import type { WebhookEvent } from "#contract/events";

/**
 * The most events of one item. Compressed, they take less than a kilobyte, which is one write unit, and a page of
 * items takes less than ten read units (Amazon DynamoDB developer guide, "Read and write operations").
 */
export const EVENTS_PER_ITEM = 8;

/** Events of an organisation that were published together, in that order. */
export interface FeedItem {
  /** The item's sort key: the moment it was sent, and an id. */
  readonly position: string;
  readonly events: readonly AbridgedEvent[];
}

const StoredItem = z.object({ sk: z.string(), events: z.instanceof(Uint8Array) });
const StoredEvents = z.array(AbridgedEvent);

/** What the table holds of events: neither `externalId` nor reasons, which an erasure would have to find. */
export function packEvents(events: readonly WebhookEvent[]): Uint8Array {
  return deflateRawSync(JSON.stringify(StoredEvents.parse(events)));
}

/** @throws Error if the item cannot be read */
export function readFeedItem(item: unknown): FeedItem {
  const { sk, events } = StoredItem.parse(item);
  return { position: sk, events: StoredEvents.parse(JSON.parse(inflateRawSync(events).toString())) };
}
