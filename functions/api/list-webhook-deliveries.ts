import * as operations from "#contract/operations";
import { cursorAfter, WebhookDelivery, type WebhookDeliveryPage } from "#contract/webhook-delivery";
import { documentClient, type WithTable } from "#runtime/dynamodb";
import { operation } from "#runtime/operation";
import { runtime } from "#runtime/runtime";
import { deliveryLogOf } from "#webhooks/delivery/composition";
import { deliveryPage } from "#webhooks/delivery/delivery-page";
import { webhookEndpointsOf } from "#webhooks/endpoints/composition";

export const listWebhookDeliveries = (dependencies: WithTable) => {
  const deliveryLog = deliveryLogOf(dependencies);
  const webhookEndpoints = webhookEndpointsOf(dependencies);
  return operation(operations.listWebhookDeliveries, async ({ organisation: { orgId }, id, query }) => {
    const { cursor, limit, status } = query;
    const endpoint = await webhookEndpoints.get(orgId, id);
    const { deliveries, next } = await deliveryPage(
      endpoint.id,
      { limit, after: cursor, status },
      deliveryLog,
    );
    return {
      data: deliveries.map((delivery) => WebhookDelivery.parse(delivery)),
      ...(next && { nextCursor: cursorAfter(next) }),
    } satisfies WebhookDeliveryPage;
  });
};

export const handler = listWebhookDeliveries({ ...runtime, documentClient });
