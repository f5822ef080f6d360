import { accepted } from "#http/answers";
import { operation } from "#http/operation";
import { deliveryQueue } from "#webhooks/deliveries";
import { deliveryOf } from "#webhooks/delivery";
import { webhookEndpoints } from "#webhooks/webhook-endpoints";
import { sampleEvent } from "#webhooks/webhook-event";

export const handler = operation({
  operationId: "testWebhookEndpoint",
  async run({ organisation: { orgId }, id }) {
    const { eventTypes } = await webhookEndpoints.get(orgId, id);
    const now = new Date();
    await deliveryQueue.send(deliveryOf(sampleEvent(eventTypes, now), orgId, id, now));
    return accepted();
  },
});
