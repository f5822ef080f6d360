import * as operations from "#contract/operations";
import { documentClient, type WithTable } from "#runtime/dynamodb";
import { operation } from "#runtime/operation";
import { runtime } from "#runtime/runtime";
import { webhookEndpointsOf } from "#webhooks/endpoints/composition";

export const deleteWebhookEndpoint = (dependencies: WithTable) => {
  const webhookEndpoints = webhookEndpointsOf(dependencies);
  return operation(operations.deleteWebhookEndpoint, async ({ organisation: { orgId }, id }) => {
    await webhookEndpoints.delete(orgId, id);
  });
};

export const handler = deleteWebhookEndpoint({ ...runtime, documentClient });
