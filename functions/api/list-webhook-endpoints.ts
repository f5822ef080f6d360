import * as operations from "#contract/operations";
import { documentClient, type WithTable } from "#runtime/dynamodb";
import { operation } from "#runtime/operation";
import { runtime } from "#runtime/runtime";
import { webhookEndpointsOf } from "#webhooks/endpoints/composition";
import { toWebhookEndpoint } from "#webhooks/endpoints/stored-endpoint";

export const listWebhookEndpoints = (dependencies: WithTable) => {
  const webhookEndpoints = webhookEndpointsOf(dependencies);
  return operation(operations.listWebhookEndpoints, async ({ organisation: { orgId } }) => {
    const endpoints = await webhookEndpoints.list(orgId);
    return { data: endpoints.map(toWebhookEndpoint) };
  });
};

export const handler = listWebhookEndpoints({ ...runtime, documentClient });
