import * as z from "zod/mini";
import type { WithTable } from "#runtime/dynamodb";
import { type RetrySchedule, readEnvironment, tableNameOf } from "#runtime/environment";
import type { WithSecrets } from "#runtime/secrets-manager";
import { EndpointHealthRepository } from "#webhooks/endpoints/endpoint-health-repository";
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

/** The sealed signing secrets of the deployment's endpoints. */
export function sealedSecretsOf(dependencies: WithTable): SealedSecretRepository {
  return new SealedSecretRepository(dependencies.documentClient, tableNameOf(dependencies), dependencies.now);
}

/** Seals and opens secrets with the deployment's keyring. */
export function secretBoxOf(dependencies: WithSecrets): SecretBox {
  const shape = { KEYRING_SECRET_ID: z.string().check(z.minLength(1)) };
  const environment = readEnvironment(shape, dependencies.variables);
  return new SecretBox(dependencies.secretsManagerClient, environment.KEYRING_SECRET_ID, dependencies);
}

/** The signing secrets of the deployment's endpoints. */
export function signingSecretsOf(dependencies: WithSecrets): SigningSecrets {
  return new SigningSecrets(secretBoxOf(dependencies), dependencies);
}

/** The dependencies for resealing the signing secrets of the deployment's endpoints. */
export function resealServiceOf(dependencies: WithTable & WithSecrets): ResealService {
  const box = secretBoxOf(dependencies);
  return {
    box,
    signingSecrets: new SigningSecrets(box, dependencies),
    endpoints: webhookEndpointsOf(dependencies),
    sealedSecrets: sealedSecretsOf(dependencies),
    now: dependencies.now,
  };
}
