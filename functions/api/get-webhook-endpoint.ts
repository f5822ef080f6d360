import * as operations from "#contract/operations";
import { documentClient, type WithTable } from "#runtime/dynamodb";
import { operation } from "#runtime/operation";
import { runtime } from "#runtime/runtime";
import { webhookEndpointsOf } from "#webhooks/endpoints/composition";
import { toWebhookEndpoint } from "#webhooks/endpoints/stored-endpoint";

export const getWebhookEndpoint = (dependencies: WithTable) => {
  const webhookEndpoints = webhookEndpointsOf(dependencies);
  return operation(operations.getWebhookEndpoint, async ({ organisation: { orgId }, id }) => {
    return toWebhookEndpoint(await webhookEndpoints.get(orgId, id));
  });
};

export const handler = getWebhookEndpoint({ ...runtime, documentClient });
