import { documentClient, type WithTable } from "#aws/dynamodb";
import { readEnvironment } from "#aws/environment";
import { runtime } from "#aws/runtime";
import { WebhookEndpointUpdate } from "#contract/webhook-endpoint";
import { ok } from "#http/answers";
import { operation } from "#http/operation";
import { AllowedNetworks, assertDeliverableUrl } from "#webhooks/delivery-address";
import { toWebhookEndpoint } from "#webhooks/webhook-endpoint-repository";
import { webhookEndpointsOf } from "#webhooks/webhook-endpoints";

export const updateWebhookEndpoint = (surroundings: WithTable) => {
  const environment = readEnvironment({ ALLOWED_WEBHOOK_NETWORKS: AllowedNetworks }, surroundings.variables);
  const webhookEndpoints = webhookEndpointsOf(surroundings);
  return operation({
    operationId: "updateWebhookEndpoint",
    body: WebhookEndpointUpdate,
    async run({ organisation: { orgId }, id, body }) {
      if (body.url !== undefined) assertDeliverableUrl(body.url, environment.ALLOWED_WEBHOOK_NETWORKS);
      return ok(toWebhookEndpoint(await webhookEndpoints.update(orgId, id, body)));
    },
  });
};

export const handler = updateWebhookEndpoint({ ...runtime, documentClient });
