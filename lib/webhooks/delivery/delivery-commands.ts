import * as z from "zod/mini";
import { idPattern } from "#contract/identifiers";
import { integer, object, pattern } from "#contract/values";
import { DeliveryRecord } from "#webhooks/delivery/delivery-log";
import { endpointMembers } from "#webhooks/endpoints/endpoint-commands";

/** The default number of deliveries in a list. */
export const DELIVERIES_LISTED = 50;

/** The payload of the private function `inspect-deliveries`. */
export const InspectDeliveries = object({
  ...endpointMembers,
  /** The most deliveries to return, newest first. */
  limit: z._default(integer(1, 100), DELIVERIES_LISTED),
  /** The last event id of the previous page. */
  after: z.optional(pattern(idPattern("evt"), "the id of the last event of the previous page")),
});

/** What `inspect-deliveries` returns: newest event first. */
export const DeliveryList = z.object({ data: z.array(DeliveryRecord) });

/** The payload of the private function `redeliver-event`. */
export const RedeliverEvent = object({
  ...endpointMembers,
  eventId: pattern(idPattern("evt"), "an event's id"),
});
