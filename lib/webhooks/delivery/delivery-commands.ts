import * as z from "zod/mini";
import { OrgId } from "#contract/organisation";
import { expecting, integer, object } from "#contract/values";
import { DeliveryRecord } from "#webhooks/delivery/delivery-log";

const endpoint = {
  orgId: OrgId,
  endpointId: z.string({ error: expecting("a webhook endpoint's id") }),
};

/** How many deliveries are listed unless a limit is given. */
export const DELIVERIES_LISTED = 50;

/** What the private function `inspect-deliveries` is invoked with. */
export const InspectDeliveries = object({
  ...endpoint,
  /** How many, newest first. */
  limit: z._default(integer(1, 100), DELIVERIES_LISTED),
  /** The event id that the page before ended with. */
  after: z.optional(z.string()),
});

export const DeliveryList = z.object({ data: z.array(DeliveryRecord) });

/** What the private function `redeliver-event` is invoked with. */
export const RedeliverEvent = object({
  ...endpoint,
  eventId: z.string({ error: expecting("an event's id") }),
});
