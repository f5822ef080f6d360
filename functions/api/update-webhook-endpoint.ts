import * as z from "zod/mini";
import * as operations from "#contract/operations";
import { WebhookEndpointUpdate } from "#contract/webhook-endpoint";
import { documentClient, type WithTable } from "#runtime/dynamodb";
import { operation } from "#runtime/operation";
import { runtime } from "#runtime/runtime";
import { deliverableUrlOf, webhookEndpointsOf } from "#webhooks/endpoints/composition";
import { toWebhookEndpoint } from "#webhooks/endpoints/stored-endpoint";

export const updateWebhookEndpoint = (dependencies: WithTable) => {
  const webhookEndpoints = webhookEndpointsOf(dependencies);
  const url = z.optional(deliverableUrlOf(dependencies));
  const definition = { ...operations.updateWebhookEndpoint, body: z.extend(WebhookEndpointUpdate, { url }) };
  return operation(definition, async ({ organisation: { orgId }, id, body }) =>
    toWebhookEndpoint(await webhookEndpoints.update(orgId, id, body)),
  );
};

export const handler = updateWebhookEndpoint({ ...runtime, documentClient });
