import * as z from "zod/mini";
import { OrgId } from "#contract/organisation";
import { expecting, integer, object } from "#contract/values";
import { DeliveryRecord } from "#webhooks/delivery/delivery-log";

const endpoint = {
  orgId: OrgId,
  endpointId: z.string({ error: expecting("a webhook endpoint's id") }),
};

/** What the private function `list-deliveries` is invoked with. */
export const ListDeliveries = object({
  ...endpoint,
  /** How many, newest first; 50 when absent. */
  limit: z.optional(integer(1, 100)),
  /** The event id that the page before ended with. */
  after: z.optional(z.string()),
});

export const DeliveryList = z.object({ data: z.array(DeliveryRecord) });

/** What the private function `resend-delivery` is invoked with. */
export const ResendDelivery = object({
  ...endpoint,
  eventId: z.string({ error: expecting("an event's id") }),
});
