import * as z from "zod/mini";
import { EventType } from "#contract/events";
import { isEventId } from "#contract/identifiers";
import { oneOf } from "#contract/values";

/** Where a delivery stands: still to be tried, acknowledged, given up, or dropped. */
export const DeliveryStatus = oneOf(["pending", "delivered", "failed", "dropped"]);
export type DeliveryStatus = z.infer<typeof DeliveryStatus>;

/** Why a delivery was dropped that its endpoint could have taken: its candidate was erased since. */
export const DropReason = z.enum(["candidate_erased"]);
export type DropReason = z.infer<typeof DropReason>;

/** Why an attempt got no answer. */
export const DeliveryFailure = z.enum([
  "address_refused",
  "connection_failed",
  "name_not_resolved",
  "timeout",
  "tls_failed",
]);
export type DeliveryFailure = z.infer<typeof DeliveryFailure>;

/** One try: what the receiver answered with, or why there was no answer. */
export const DeliveryAttempt = z.object({
  /** Counts from 1; from 1 again when the delivery is sent once more. */
  attempt: z.int(),
  at: z.string(),
  /** The time to the answer's headers, or to the failure. */
  durationMs: z.int(),
  statusCode: z.optional(z.int()),
  failure: z.optional(DeliveryFailure),
});
export type DeliveryAttempt = z.infer<typeof DeliveryAttempt>;

/** What became of an event at an endpoint (an extension): ids, times and outcomes, nothing of a candidate. */
export const WebhookDelivery = z.object({
  eventId: z.string(),
  eventType: EventType,
  status: DeliveryStatus,
  /** Every attempt so far, oldest first. */
  attempts: z.array(DeliveryAttempt),
  /** When the next attempt is due; present while there is one. */
  nextAttemptAt: z.optional(z.string()),
  /** Present on a delivery that was dropped for another cause than its endpoint. */
  reason: z.optional(DropReason),
  /** Present, and true, only on a sample. */
  sample: z.optional(z.literal(true)),
});
export type WebhookDelivery = z.infer<typeof WebhookDelivery>;

/** The answer to `GET /v1/webhook-endpoints/{id}/deliveries` (an extension). */
export const WebhookDeliveryPage = z.object({
  /** Newest event first. */
  data: z.array(WebhookDelivery),
  /** The `cursor` of the next page; absent on the last one. */
  nextCursor: z.optional(z.string()),
});
export type WebhookDeliveryPage = z.infer<typeof WebhookDeliveryPage>;

/** A `nextCursor`, read back as the event id that its page ended with. */
const Cursor = z.pipe(
  z.string({ error: cursorExpected }).check(
    z.refine((cursor) => isEventId(eventIdOf(cursor)) && cursorAfter(eventIdOf(cursor)) === cursor, {
      error: cursorExpected(),
    }),
  ),
  z.transform(eventIdOf),
);

const limitExpected = "a whole number from 1 to 100 is expected";

/** The query of `GET /v1/webhook-endpoints/{id}/deliveries`; other parameters are ignored. */
export const WebhookDeliveriesQuery = z.object({
  cursor: z.optional(Cursor),
  /** How many deliveries a page holds at the most. */
  limit: z._default(
    z.pipe(
      z.string({ error: limitExpected }).check(z.regex(/^(?:[1-9]\d?|100)$/, { error: limitExpected })),
      z.transform(Number),
    ),
    20,
  ),
  status: z.optional(DeliveryStatus),
});

/** The cursor of the page that begins after an event. */
export function cursorAfter(eventId: string): string {
  return Buffer.from(eventId).toString("base64url");
}

function eventIdOf(cursor: string): string {
  return Buffer.from(cursor, "base64url").toString();
}

function cursorExpected(): string {
  return "the nextCursor of the page before is expected";
}
