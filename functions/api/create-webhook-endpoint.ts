import { documentClient, type WithTable } from "#aws/dynamodb";
import { readEnvironment } from "#aws/environment";
import { runtime } from "#aws/runtime";
import { secretsManagerClient, type WithSecrets } from "#aws/secrets-manager";
import { newEndpointId } from "#contract/identifiers";
import * as operations from "#contract/operations";
import type { CreatedWebhookEndpoint } from "#contract/webhook-endpoint";
import { operation } from "#http/operation";
import { AllowedNetworks, assertDeliverableUrl } from "#webhooks/delivery-address";
import { signingSecretsOf } from "#webhooks/keyring";
import { webhookEndpointsOf } from "#webhooks/webhook-endpoints";

export const createWebhookEndpoint = (surroundings: WithTable & WithSecrets) => {
  const environment = readEnvironment({ ALLOWED_WEBHOOK_NETWORKS: AllowedNetworks }, surroundings.variables);
  const webhookEndpoints = webhookEndpointsOf(surroundings);
  const signingSecrets = signingSecretsOf(surroundings);
  return operation(operations.createWebhookEndpoint, async ({ organisation: { orgId }, body }) => {
    assertDeliverableUrl(body.url, environment.ALLOWED_WEBHOOK_NETWORKS);
    const id = newEndpointId(surroundings);
    const { signingSecret, sealedSecret } = await signingSecrets.issue(orgId, id);
    const endpoint = await webhookEndpoints.register(orgId, id, body, sealedSecret);
    return { ...endpoint, signingSecret } satisfies CreatedWebhookEndpoint;
  });
};

export const handler = createWebhookEndpoint({ ...runtime, documentClient, secretsManagerClient });
