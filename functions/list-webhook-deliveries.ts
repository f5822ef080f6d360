import {
  cursorAfter,
  WebhookDeliveriesQuery,
  WebhookDelivery,
  type WebhookDeliveryPage,
} from "#contract/webhook-delivery";
import { ok } from "#http/answers";
import { operation } from "#http/operation";
import { deliveryPage } from "#webhooks/delivery-page";
import { deliveryLog } from "#webhooks/delivery-records";
import { webhookEndpoints } from "#webhooks/webhook-endpoints";

export const handler = operation({
  operationId: "listWebhookDeliveries",
  query: WebhookDeliveriesQuery,
  async run({ organisation: { orgId }, id, query: { cursor, limit, status } }) {
    const endpoint = await webhookEndpoints.get(orgId, id);
    const { deliveries, next } = await deliveryPage(
      endpoint.id,
      { limit, after: cursor, status },
      deliveryLog,
    );
    return ok({
      data: deliveries.map((delivery) => WebhookDelivery.parse(delivery)),
      ...(next && { nextCursor: cursorAfter(next) }),
    } satisfies WebhookDeliveryPage);
  },
});
