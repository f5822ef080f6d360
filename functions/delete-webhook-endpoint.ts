import { documentClient, type WithTable } from "#aws/dynamodb";
import { runtime } from "#aws/runtime";
import { noContent } from "#http/answers";
import { operation } from "#http/operation";
import { webhookEndpointsOf } from "#webhooks/webhook-endpoints";

export const deleteWebhookEndpoint = (surroundings: WithTable) => {
  const webhookEndpoints = webhookEndpointsOf(surroundings);
  return operation({
    operationId: "deleteWebhookEndpoint",
    async run({ organisation: { orgId }, id }) {
      await webhookEndpoints.delete(orgId, id);
      return noContent();
    },
  });
};

export const handler = deleteWebhookEndpoint({ ...runtime, documentClient });
