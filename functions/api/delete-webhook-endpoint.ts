import { documentClient, type WithTable } from "#aws/dynamodb";
import { runtime } from "#aws/runtime";
import * as operations from "#contract/operations";
import { operation } from "#http/operation";
import { webhookEndpointsOf } from "#webhooks/webhook-endpoints";

export const deleteWebhookEndpoint = (surroundings: WithTable) => {
  const webhookEndpoints = webhookEndpointsOf(surroundings);
  return operation(operations.deleteWebhookEndpoint, async ({ organisation: { orgId }, id }) => {
    await webhookEndpoints.delete(orgId, id);
  });
};

export const handler = deleteWebhookEndpoint({ ...runtime, documentClient });
