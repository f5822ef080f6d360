import { documentClient, type WithTable } from "#aws/dynamodb";
import { readEnvironment } from "#aws/environment";
import { runtime } from "#aws/runtime";
import * as operations from "#contract/operations";
import { operation } from "#http/operation";
import { AllowedNetworks, assertDeliverableUrl } from "#webhooks/delivery-address";
import { toWebhookEndpoint } from "#webhooks/webhook-endpoint-repository";
import { webhookEndpointsOf } from "#webhooks/webhook-endpoints";

export const updateWebhookEndpoint = (surroundings: WithTable) => {
  const environment = readEnvironment({ ALLOWED_WEBHOOK_NETWORKS: AllowedNetworks }, surroundings.variables);
  const webhookEndpoints = webhookEndpointsOf(surroundings);
  return operation(operations.updateWebhookEndpoint, async ({ organisation: { orgId }, id, body }) => {
    if (body.url !== undefined) assertDeliverableUrl(body.url, environment.ALLOWED_WEBHOOK_NETWORKS);
    return toWebhookEndpoint(await webhookEndpoints.update(orgId, id, body));
  });
};

export const handler = updateWebhookEndpoint({ ...runtime, documentClient });
