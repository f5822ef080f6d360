import { WebhookEndpoint } from "#contract/webhook-endpoint";
import type { EndpointHealth } from "#webhooks/endpoints/endpoint-health";

/** An endpoint as delivery sees it. */
export interface DeliveryEndpoint extends WebhookEndpoint, EndpointHealth {
  readonly orgId: string;
  /** The signing secret, as `SigningSecrets` seals it. */
  readonly sealedSecret: string;
  /** The secret before the last rotation, sealed too, and until when it goes on signing. */
  readonly previousSealedSecret?: string;
  readonly previousSecretExpiresAt?: string;
  /** The oldest key of the keyring that one of the sealed secrets needs. */
  readonly sealingKeyId: string;
  /** When the organisation last changed it; absent while it is as it was registered. */
  readonly updatedAt?: string;
}

/** What integrators see of an endpoint: a list of what goes out, like the candidate's projection. */
export function toWebhookEndpoint(endpoint: DeliveryEndpoint): WebhookEndpoint {
  return WebhookEndpoint.parse(endpoint);
}
