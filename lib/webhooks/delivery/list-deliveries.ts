import type * as z from "zod/mini";
import {
  cursorAfter,
  type WebhookDeliveriesQuery,
  WebhookDelivery,
  type WebhookDeliveryPage,
} from "#contract/webhook-delivery";
import type { DeliveryLog } from "#webhooks/delivery/delivery-log";
import { deliveryPage } from "#webhooks/delivery/delivery-page";
import type { WebhookEndpointRepository } from "#webhooks/endpoints/webhook-endpoint-repository";

export interface ListDeliveriesService {
  readonly endpoints: Pick<WebhookEndpointRepository, "get">;
  readonly log: Pick<DeliveryLog, "list">;
}

/**
 * A page of an endpoint's deliveries as integrators see them, newest first.
 *
 * @throws NotFound if the organisation has no such endpoint
 */
export async function listDeliveries(
  orgId: string,
  endpointId: string,
  { cursor, limit, status }: z.infer<typeof WebhookDeliveriesQuery>,
  { endpoints, log }: ListDeliveriesService,
): Promise<WebhookDeliveryPage> {
  const { id } = await endpoints.get(orgId, endpointId);
  const { deliveries, next } = await deliveryPage(id, { limit, after: cursor, status }, log);
  return {
    data: deliveries.map((delivery) => WebhookDelivery.parse(delivery)),
    ...(next && { nextCursor: cursorAfter(next) }),
  };
}
