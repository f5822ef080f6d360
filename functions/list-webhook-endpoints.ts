import { documentClient, type WithTable } from "#aws/dynamodb";
import { runtime } from "#aws/runtime";
import { ok } from "#http/answers";
import { operation } from "#http/operation";
import { toWebhookEndpoint } from "#webhooks/webhook-endpoint-repository";
import { webhookEndpointsOf } from "#webhooks/webhook-endpoints";

export const listWebhookEndpoints = (surroundings: WithTable) => {
  const webhookEndpoints = webhookEndpointsOf(surroundings);
  return operation({
    operationId: "listWebhookEndpoints",
    async run({ organisation: { orgId } }) {
      const endpoints = await webhookEndpoints.list(orgId);
      return ok({ data: endpoints.map(toWebhookEndpoint) });
    },
  });
};

export const handler = listWebhookEndpoints({ ...runtime, documentClient });
