import { readEnvironment } from "#aws/environment";
import { newEndpointId } from "#contract/identifiers";
import { type CreatedWebhookEndpoint, WebhookEndpointRegistration } from "#contract/webhook-endpoint";
import { created } from "#http/answers";
import { operation } from "#http/operation";
import { AllowedNetworks, assertDeliverableUrl } from "#webhooks/delivery-address";
import { signingSecrets } from "#webhooks/keyring";
import { webhookEndpoints } from "#webhooks/webhook-endpoints";

const environment = readEnvironment({ ALLOWED_WEBHOOK_NETWORKS: AllowedNetworks });

export const handler = operation({
  operationId: "createWebhookEndpoint",
  body: WebhookEndpointRegistration,
  async run({ organisation: { orgId }, body }) {
    assertDeliverableUrl(body.url, environment.ALLOWED_WEBHOOK_NETWORKS);
    const id = newEndpointId();
    const { signingSecret, sealedSecret } = await signingSecrets.issue(orgId, id);
    const endpoint = await webhookEndpoints.register(orgId, id, body, sealedSecret);
    return created({ ...endpoint, signingSecret } satisfies CreatedWebhookEndpoint);
  },
});
