import { documentClient, type WithTable } from "#aws/dynamodb";
import { runtime } from "#aws/runtime";
import {
  cursorAfter,
  WebhookDeliveriesQuery,
  WebhookDelivery,
  type WebhookDeliveryPage,
} from "#contract/webhook-delivery";
import { ok } from "#http/answers";
import { operation } from "#http/operation";
import { deliveryPage } from "#webhooks/delivery-page";
import { deliveryLogOf } from "#webhooks/delivery-records";
import { webhookEndpointsOf } from "#webhooks/webhook-endpoints";

export const listWebhookDeliveries = (surroundings: WithTable) => {
  const deliveryLog = deliveryLogOf(surroundings);
  const webhookEndpoints = webhookEndpointsOf(surroundings);
  return operation({
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
};

export const handler = listWebhookDeliveries({ ...runtime, documentClient });
