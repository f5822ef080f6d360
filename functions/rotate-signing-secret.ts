import type { RotatedWebhookEndpoint } from "#contract/webhook-endpoint";
import { ok } from "#http/answers";
import { operation } from "#http/operation";
import { signingSecrets } from "#webhooks/keyring";
import { toWebhookEndpoint } from "#webhooks/webhook-endpoint-repository";
import { webhookEndpoints } from "#webhooks/webhook-endpoints";

export const handler = operation({
  operationId: "rotateSigningSecret",
  async run({ organisation: { orgId }, id }) {
    const { signingSecret, sealedSecret } = await signingSecrets.issue(orgId, id);
    const endpoint = await webhookEndpoints.rotateSecret(orgId, id, sealedSecret);
    const { previousSecretExpiresAt } = endpoint;
    return ok({
      ...toWebhookEndpoint(endpoint),
      signingSecret,
      previousSecretExpiresAt,
    } satisfies RotatedWebhookEndpoint);
  },
});
