import * as z from "zod/mini";
import { EventType } from "#contract/events";
import { isEventId } from "#contract/identifiers";
import { CURSOR_EXPECTED, pageLimit } from "#contract/page";
import { oneOf } from "#contract/values";

/** The status of a delivery: attempts remain, acknowledged, failed, or dropped. */
export const DeliveryStatus = oneOf(["pending", "delivered", "failed", "dropped"]);
export type DeliveryStatus = z.infer<typeof DeliveryStatus>;

/** Why a delivery to a working endpoint was dropped: its candidate has been erased since. */
export const DropReason = z.enum(["candidate_erased"]);
export type DropReason = z.infer<typeof DropReason>;

/** Why an attempt received no response, or none that can be read. */
export const DeliveryFailure = z.enum([
  "address_refused",
  "connection_failed",
  "invalid_response",
  "name_not_resolved",
  "timeout",
  "tls_failed",
]);
export type DeliveryFailure = z.infer<typeof DeliveryFailure>;

/** One attempt: the status code of the response, or why there was none. */
export const DeliveryAttempt = z.object({
  /** Counts from 1, and again from 1 after a resend. */
  attempt: z.int(),
  at: z.string(),
  /** The time from the start of the attempt to the response's headers, or to the failure. */
  durationMs: z.int(),
  statusCode: z.optional(z.int()),
  failure: z.optional(DeliveryFailure),
});
export type DeliveryAttempt = z.infer<typeof DeliveryAttempt>;

/** The delivery of an event to an endpoint (an extension): ids, times and outcomes, no data about the candidate. */
export const WebhookDelivery = z.object({
  eventId: z.string(),
  eventType: EventType,
  status: DeliveryStatus,
  /** Every attempt so far, oldest first. */
  attempts: z.array(DeliveryAttempt),
  /** When the next attempt is due; absent if there is none. */
  nextAttemptAt: z.optional(z.string()),
  /** Present if the delivery was dropped for a reason other than its endpoint. */
  reason: z.optional(DropReason),
  /** Present, and true, only for a sample. */
  sample: z.optional(z.literal(true)),
});
export type WebhookDelivery = z.infer<typeof WebhookDelivery>;

/** The response to `GET /v1/webhook-endpoints/{id}/deliveries` (an extension). */
export const WebhookDeliveryPage = z.object({
  /** Newest event first. */
  data: z.array(WebhookDelivery),
  /** The `cursor` of the next page; absent on the last one. */
  nextCursor: z.optional(z.string()),
});
export type WebhookDeliveryPage = z.infer<typeof WebhookDeliveryPage>;

/** A `nextCursor`, decoded to the last event id of its page. */
const Cursor = z.pipe(
  z.string({ error: CURSOR_EXPECTED }).check(
    z.refine((cursor) => isEventId(eventIdOf(cursor)) && cursorAfter(eventIdOf(cursor)) === cursor, {
      error: CURSOR_EXPECTED,
    }),
  ),
  z.transform(eventIdOf),
);

/** The query of `GET /v1/webhook-endpoints/{id}/deliveries`; other parameters are ignored. */
export const WebhookDeliveriesQuery = z.object({
  cursor: z.optional(Cursor),
  /** The most deliveries on a page. */
  limit: pageLimit(20),
  status: z.optional(DeliveryStatus),
});

/** The cursor of the page that follows an event. */
export function cursorAfter(eventId: string): string {
  return Buffer.from(eventId).toString("base64url");
}

function eventIdOf(cursor: string): string {
  return Buffer.from(cursor, "base64url").toString();
}
