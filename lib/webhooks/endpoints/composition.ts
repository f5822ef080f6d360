import * as z from "zod/mini";
import type { WithTable } from "#runtime/dynamodb";
import { type RetrySchedule, readEnvironment, tableNameOf } from "#runtime/environment";
import type { Runtime } from "#runtime/runtime";
import type { WithSecrets } from "#runtime/secrets-manager";
import { deliverableUrl } from "#webhooks/endpoints/deliverable-url";
import { AllowedNetworks, type Network } from "#webhooks/endpoints/delivery-address";
import { EndpointHealthRepository } from "#webhooks/endpoints/endpoint-health-repository";
import { Keyring } from "#webhooks/endpoints/keyring";
import { KeyringRotation } from "#webhooks/endpoints/keyring-rotation";
import type { ResealService } from "#webhooks/endpoints/reseal";
import { SealedSecretRepository } from "#webhooks/endpoints/sealed-secret-repository";
import { SecretBox } from "#webhooks/endpoints/secret-box";
import { SigningSecrets } from "#webhooks/endpoints/signing-secrets";
import { WebhookEndpointRepository } from "#webhooks/endpoints/webhook-endpoint-repository";

/** The deployment's webhook endpoints. */
export function webhookEndpointsOf(dependencies: WithTable): WebhookEndpointRepository {
  return new WebhookEndpointRepository(
    dependencies.documentClient,
    tableNameOf(dependencies),
    dependencies.now,
  );
}

/** The deployment's records of endpoint health. */
export function endpointHealthOf(dependencies: WithTable, schedule: RetrySchedule): EndpointHealthRepository {
  return new EndpointHealthRepository(dependencies.documentClient, tableNameOf(dependencies), {
    ...dependencies,
    schedule,
  });
}

/** The networks to which the deployment delivers, besides public addresses. */
export function allowedNetworksOf({ variables }: Runtime): readonly Network[] {
  return readEnvironment({ ALLOWED_WEBHOOK_NETWORKS: AllowedNetworks }, variables).ALLOWED_WEBHOOK_NETWORKS;
}

/** The `url` of a webhook endpoint to which the deployment delivers. */
export function deliverableUrlOf(dependencies: Runtime) {
  return deliverableUrl(allowedNetworksOf(dependencies));
}

/** The sealed signing secrets of the deployment's endpoints. */
export function sealedSecretsOf(dependencies: WithTable): SealedSecretRepository {
  return new SealedSecretRepository(dependencies.documentClient, tableNameOf(dependencies), dependencies.now);
}

/** The keys with which the deployment's signing secrets are sealed. */
function keyringOf(dependencies: WithSecrets): Keyring {
  return new Keyring(dependencies.secretsManagerClient, keyringSecretIdOf(dependencies), dependencies.now);
}

/** Adds keys to the deployment's keyring. */
export function keyringRotationOf(dependencies: WithSecrets): KeyringRotation {
  const { secretsManagerClient, randomBytes } = dependencies;
  return new KeyringRotation(secretsManagerClient, keyringSecretIdOf(dependencies), randomBytes);
}

/** The signing secrets of the deployment's endpoints. */
export function signingSecretsOf(
  dependencies: WithSecrets,
  keyring = keyringOf(dependencies),
): SigningSecrets {
  return new SigningSecrets(new SecretBox(keyring, dependencies.randomBytes), dependencies);
}

/** The dependencies for resealing the signing secrets of the deployment's endpoints. */
export function resealServiceOf(dependencies: WithTable & WithSecrets): ResealService {
  const keyring = keyringOf(dependencies);
  return {
    keyring,
    signingSecrets: signingSecretsOf(dependencies, keyring),
    endpoints: webhookEndpointsOf(dependencies),
    sealedSecrets: sealedSecretsOf(dependencies),
    now: dependencies.now,
  };
}

function keyringSecretIdOf({ variables }: WithSecrets): string {
  return readEnvironment({ KEYRING_SECRET_ID: z.string().check(z.minLength(1)) }, variables)
    .KEYRING_SECRET_ID;
}
