import { documentClient, type WithTable } from "#aws/dynamodb";
import { runtime } from "#aws/runtime";
import * as operations from "#contract/operations";
import { operation } from "#http/operation";
import { toWebhookEndpoint } from "#webhooks/webhook-endpoint-repository";
import { webhookEndpointsOf } from "#webhooks/webhook-endpoints";

export const getWebhookEndpoint = (surroundings: WithTable) => {
  const webhookEndpoints = webhookEndpointsOf(surroundings);
  return operation(operations.getWebhookEndpoint, async ({ organisation: { orgId }, id }) => {
    return toWebhookEndpoint(await webhookEndpoints.get(orgId, id));
  });
};

export const handler = getWebhookEndpoint({ ...runtime, documentClient });
