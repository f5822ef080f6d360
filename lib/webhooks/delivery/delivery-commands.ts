import * as z from "zod/mini";
import { OrgId } from "#contract/organisation";
import { expecting, integer, object } from "#contract/values";
import { DeliveryRecord } from "#webhooks/delivery/delivery-log";

const endpoint = {
  orgId: OrgId,
  endpointId: z.string({ error: expecting("a webhook endpoint's id") }),
};

/** The default number of deliveries in a list. */
export const DELIVERIES_LISTED = 50;

/** The payload of the private function `inspect-deliveries`. */
export const InspectDeliveries = object({
  ...endpoint,
  /** The most deliveries to return, newest first. */
  limit: z._default(integer(1, 100), DELIVERIES_LISTED),
  /** The last event id of the previous page. */
  after: z.optional(z.string()),
});

export const DeliveryList = z.object({ data: z.array(DeliveryRecord) });

/** The payload of the private function `redeliver-event`. */
export const RedeliverEvent = object({
  ...endpoint,
  eventId: z.string({ error: expecting("an event's id") }),
});
