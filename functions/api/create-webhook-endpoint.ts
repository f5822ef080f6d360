import * as z from "zod/mini";
import { newEndpointId } from "#contract/identifiers";
import * as operations from "#contract/operations";
import { type CreatedWebhookEndpoint, WebhookEndpointRegistration } from "#contract/webhook-endpoint";
import { documentClient, type WithTable } from "#runtime/dynamodb";
import { operation } from "#runtime/operation";
import { runtime } from "#runtime/runtime";
import { secretsManagerClient, type WithSecrets } from "#runtime/secrets-manager";
import { deliverableUrlOf, signingSecretsOf, webhookEndpointsOf } from "#webhooks/endpoints/composition";

export const createWebhookEndpoint = (dependencies: WithTable & WithSecrets) => {
  const webhookEndpoints = webhookEndpointsOf(dependencies);
  const signingSecrets = signingSecretsOf(dependencies);
  const registration = z.extend(WebhookEndpointRegistration, { url: deliverableUrlOf(dependencies) });
  const definition = { ...operations.createWebhookEndpoint, body: registration };
  return operation(definition, async ({ organisation: { orgId }, body }) => {
    const id = newEndpointId(dependencies);
    const { signingSecret, sealedSecret } = await signingSecrets.issue(orgId, id);
    const endpoint = await webhookEndpoints.register(orgId, id, body, sealedSecret);
    return { ...endpoint, signingSecret } satisfies CreatedWebhookEndpoint;
  });
};

export const handler = createWebhookEndpoint({ ...runtime, documentClient, secretsManagerClient });
