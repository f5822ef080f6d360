import { deflateSync, inflateSync } from "node:zlib";
import * as z from "zod/mini";
import { AbridgedEvent } from "#candidates/outbox/abridged-event";
import type { WebhookEvent } from "#contract/events";

/**
 * The most events of one item. Compressed, they take less than a kilobyte, which is one write unit, and a page of
 * items takes less than ten read units (Amazon DynamoDB developer guide, "Read and write operations").
 */
export const EVENTS_PER_ITEM = 12;

/**
 * Text that events have in common, the most frequent last. An event alone takes 90 bytes with it, and 220 without.
 * It is part of the stored form. Compressed data names its dictionary by a checksum (RFC 1950), so an item that was
 * compressed with another one cannot be misread.
 */
const DICTIONARY = Buffer.from(
  [
    ',"data":{"webhookEndpointId":"whe_06h","failingSince":"2026-11-23T00:00:00.000Z"',
    ',"disabledAt":"2026-11-23T00:00:00.000Z","disabledReason":"failing"gone"webhook_endpoint.failing"',
    'webhook_endpoint.disabled"candidate.erased"candidate.consent_restored"candidate.consent_revoked"',
    'candidate.validation_failed"status":"validation_failed"consent_revoked"erased"verified"',
    '"candidate.verified"candidate.promoted","id":"cand_","status":"promoted","verificationStatus":"verified"',
    ',"availabilityStatus":"available"}},[{"id":"evt_06h","type":"candidate.received","apiVersion":"1.2.0"',
    ',"occurredAt":"2026-11-23T00:00:00.000Z","sequence":1,"data":{"stagedId":"staged_","id":null',
    ',"status":"received","verificationStatus":"in_review","availabilityStatus":"pending"}}]',
  ].join(""),
);

/** Events of an organisation that were published together, in that order. */
export interface FeedItem {
  /** The item's sort key: the moment it was sent, or shortly after it if it was sent again, and an id. */
  readonly position: string;
  readonly events: readonly AbridgedEvent[];
}

const StoredItem = z.object({ sk: z.string(), events: z.instanceof(Uint8Array) });
const StoredEvents = z.array(AbridgedEvent);

/**
 * Events as an item stores them: compressed, and without `externalId` and reasons, which an erasure would have to find.
 */
export function packEvents(events: readonly WebhookEvent[]): Uint8Array {
  return deflateSync(JSON.stringify(StoredEvents.parse(events)), { dictionary: DICTIONARY });
}

/** @throws Error if the item cannot be read */
export function readFeedItem(item: unknown): FeedItem {
  const { sk, events } = StoredItem.parse(item);
  return { position: sk, events: StoredEvents.parse(JSON.parse(unpackEvents(events))) };
}

/**
 * The events of an item as JSON.
 *
 * @internal Exported for tests.
 */
export function unpackEvents(events: Uint8Array): string {
  return inflateSync(events, { dictionary: DICTIONARY }).toString();
}
