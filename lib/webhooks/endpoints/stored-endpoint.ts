import { InvalidRequest } from "#contract/errors";
import { WebhookEndpoint } from "#contract/webhook-endpoint";
import type { EndpointHealth } from "#webhooks/endpoints/endpoint-health";

/** An endpoint as its item holds it: what integrators see, its health, and what deliveries to it need. */
export interface StoredEndpoint extends WebhookEndpoint, EndpointHealth {
  readonly orgId: string;
  /** The signing secret, sealed by `SigningSecrets`. */
  readonly sealedSecret: string;
  /** The secret before the last rotation, also sealed, and the time until which deliveries are signed with it. */
  readonly previousSealedSecret?: string;
  readonly previousSecretExpiresAt?: string;
  /** The id of the oldest keyring key that one of the sealed secrets needs. */
  readonly sealingKeyId: string;
  /** When the organisation last changed it; absent if it never has. */
  readonly updatedAt?: string;
  /**
   * The time of the first event that it has missed because it was inactive; absent if it has missed none since the
   * recovery that sent them.
   */
  readonly missedSince?: string;
  /** Changes with whatever `WebhookEndpointCache` must not miss. */
  readonly version: number;
}

/** @throws InvalidRequest if the endpoint is inactive: nothing that is asked for is sent to it */
export function assertActive({ active }: WebhookEndpoint): void {
  if (!active) throw new InvalidRequest("The endpoint is inactive. Send PATCH with active true first.");
}

/** An endpoint as integrators see it. This is an allowlist, like the candidate's projection. */
export function toWebhookEndpoint(endpoint: StoredEndpoint): WebhookEndpoint {
  return WebhookEndpoint.parse(endpoint);
}
