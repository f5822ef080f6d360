import { ok } from "#http/answers";
import { operation } from "#http/operation";
import { toWebhookEndpoint } from "#webhooks/webhook-endpoint-repository";
import { webhookEndpoints } from "#webhooks/webhook-endpoints";

export const handler = operation({
  operationId: "listWebhookEndpoints",
  async run({ organisation: { orgId } }) {
    const endpoints = await webhookEndpoints.list(orgId);
    return ok({ data: endpoints.map(toWebhookEndpoint) });
  },
});
