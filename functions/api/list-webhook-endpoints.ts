import { documentClient, type WithTable } from "#aws/dynamodb";
import { runtime } from "#aws/runtime";
import * as operations from "#contract/operations";
import { operation } from "#http/operation";
import { toWebhookEndpoint } from "#webhooks/webhook-endpoint-repository";
import { webhookEndpointsOf } from "#webhooks/webhook-endpoints";

export const listWebhookEndpoints = (surroundings: WithTable) => {
  const webhookEndpoints = webhookEndpointsOf(surroundings);
  return operation(operations.listWebhookEndpoints, async ({ organisation: { orgId } }) => {
    const endpoints = await webhookEndpoints.list(orgId);
    return { data: endpoints.map(toWebhookEndpoint) };
  });
};

export const handler = listWebhookEndpoints({ ...runtime, documentClient });
