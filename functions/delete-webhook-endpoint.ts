import { noContent } from "#http/answers";
import { operation } from "#http/operation";
import { webhookEndpoints } from "#webhooks/webhook-endpoints";

export const handler = operation({
  operationId: "deleteWebhookEndpoint",
  async run({ organisation: { orgId }, id }) {
    await webhookEndpoints.delete(orgId, id);
    return noContent();
  },
});
