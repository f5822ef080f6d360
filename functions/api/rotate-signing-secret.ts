import { documentClient, type WithTable } from "#aws/dynamodb";
import { runtime } from "#aws/runtime";
import { secretsManagerClient, type WithSecrets } from "#aws/secrets-manager";
import * as operations from "#contract/operations";
import type { RotatedWebhookEndpoint } from "#contract/webhook-endpoint";
import { operation } from "#http/operation";
import { signingSecretsOf } from "#webhooks/keyring";
import { toWebhookEndpoint } from "#webhooks/webhook-endpoint-repository";
import { webhookEndpointsOf } from "#webhooks/webhook-endpoints";

export const rotateSigningSecret = (surroundings: WithTable & WithSecrets) => {
  const webhookEndpoints = webhookEndpointsOf(surroundings);
  const signingSecrets = signingSecretsOf(surroundings);
  return operation(operations.rotateSigningSecret, async ({ organisation: { orgId }, id }) => {
    const { signingSecret, sealedSecret } = await signingSecrets.issue(orgId, id);
    const endpoint = await webhookEndpoints.rotateSecret(orgId, id, sealedSecret);
    const { previousSecretExpiresAt } = endpoint;
    return {
      ...toWebhookEndpoint(endpoint),
      signingSecret,
      previousSecretExpiresAt,
    } satisfies RotatedWebhookEndpoint;
  });
};

export const handler = rotateSigningSecret({ ...runtime, documentClient, secretsManagerClient });
