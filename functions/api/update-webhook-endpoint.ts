import * as z from "zod/mini";
import * as operations from "#contract/operations";
import { WebhookEndpointUpdate } from "#contract/webhook-endpoint";
import { documentClient, type WithTable } from "#runtime/dynamodb";
import { readEnvironment } from "#runtime/environment";
import { operation } from "#runtime/operation";
import { runtime } from "#runtime/runtime";
import { webhookEndpointsOf } from "#webhooks/endpoints/composition";
import { deliverableUrl } from "#webhooks/endpoints/deliverable-url";
import { AllowedNetworks } from "#webhooks/endpoints/delivery-address";
import { toWebhookEndpoint } from "#webhooks/endpoints/delivery-endpoint";

export const updateWebhookEndpoint = (dependencies: WithTable) => {
  const environment = readEnvironment({ ALLOWED_WEBHOOK_NETWORKS: AllowedNetworks }, dependencies.variables);
  const webhookEndpoints = webhookEndpointsOf(dependencies);
  const url = z.optional(deliverableUrl(environment.ALLOWED_WEBHOOK_NETWORKS));
  const definition = { ...operations.updateWebhookEndpoint, body: z.extend(WebhookEndpointUpdate, { url }) };
  return operation(definition, async ({ organisation: { orgId }, id, body }) =>
    toWebhookEndpoint(await webhookEndpoints.update(orgId, id, body)),
  );
};

export const handler = updateWebhookEndpoint({ ...runtime, documentClient });
