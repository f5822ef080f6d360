import * as operations from "#contract/operations";
import { documentClient, type WithTable } from "#runtime/dynamodb";
import { readEnvironment } from "#runtime/environment";
import { operation } from "#runtime/operation";
import { runtime } from "#runtime/runtime";
import { webhookEndpointsOf } from "#webhooks/endpoints/composition";
import { AllowedNetworks, assertDeliverableUrl } from "#webhooks/endpoints/delivery-address";
import { toWebhookEndpoint } from "#webhooks/endpoints/delivery-endpoint";

export const updateWebhookEndpoint = (dependencies: WithTable) => {
  const environment = readEnvironment({ ALLOWED_WEBHOOK_NETWORKS: AllowedNetworks }, dependencies.variables);
  const webhookEndpoints = webhookEndpointsOf(dependencies);
  return operation(operations.updateWebhookEndpoint, async ({ organisation: { orgId }, id, body }) => {
    if (body.url !== undefined) assertDeliverableUrl(body.url, environment.ALLOWED_WEBHOOK_NETWORKS);
    return toWebhookEndpoint(await webhookEndpoints.update(orgId, id, body));
  });
};

export const handler = updateWebhookEndpoint({ ...runtime, documentClient });
