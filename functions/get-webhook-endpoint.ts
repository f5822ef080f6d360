import { ok } from "#http/answers";
import { operation } from "#http/operation";
import { toWebhookEndpoint } from "#webhooks/webhook-endpoint-repository";
import { webhookEndpoints } from "#webhooks/webhook-endpoints";

export const handler = operation({
  operationId: "getWebhookEndpoint",
  async run({ organisation: { orgId }, id }) {
    return ok(toWebhookEndpoint(await webhookEndpoints.get(orgId, id)));
  },
});
