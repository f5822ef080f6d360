import { readEnvironment } from "#aws/environment";
import { WebhookEndpointUpdate } from "#contract/webhook-endpoint";
import { ok } from "#http/answers";
import { operation } from "#http/operation";
import { AllowedNetworks, assertDeliverableUrl } from "#webhooks/delivery-address";
import { toWebhookEndpoint } from "#webhooks/webhook-endpoint-repository";
import { webhookEndpoints } from "#webhooks/webhook-endpoints";

const environment = readEnvironment({ ALLOWED_WEBHOOK_NETWORKS: AllowedNetworks });

export const handler = operation({
  operationId: "updateWebhookEndpoint",
  body: WebhookEndpointUpdate,
  async run({ organisation: { orgId }, id, body }) {
    if (body.url !== undefined) assertDeliverableUrl(body.url, environment.ALLOWED_WEBHOOK_NETWORKS);
    return ok(toWebhookEndpoint(await webhookEndpoints.update(orgId, id, body)));
  },
});
