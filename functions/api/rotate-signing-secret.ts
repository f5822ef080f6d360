import * as operations from "#contract/operations";
import type { RotatedWebhookEndpoint } from "#contract/webhook-endpoint";
import { documentClient, type WithTable } from "#runtime/dynamodb";
import { operation } from "#runtime/operation";
import { runtime } from "#runtime/runtime";
import { secretsManagerClient, type WithSecrets } from "#runtime/secrets-manager";
import { sealedSecretsOf, signingSecretsOf } from "#webhooks/endpoints/composition";
import { toWebhookEndpoint } from "#webhooks/endpoints/stored-endpoint";

export const rotateSigningSecret = (dependencies: WithTable & WithSecrets) => {
  const sealedSecrets = sealedSecretsOf(dependencies);
  const signingSecrets = signingSecretsOf(dependencies);
  return operation(operations.rotateSigningSecret, async ({ organisation: { orgId }, id }) => {
    const { signingSecret, sealedSecret } = await signingSecrets.issue(orgId, id);
    const endpoint = await sealedSecrets.rotate(orgId, id, sealedSecret);
    const { previousSecretExpiresAt } = endpoint;
    return {
      ...toWebhookEndpoint(endpoint),
      signingSecret,
      previousSecretExpiresAt,
    } satisfies RotatedWebhookEndpoint;
  });
};

export const handler = rotateSigningSecret({ ...runtime, documentClient, secretsManagerClient });
