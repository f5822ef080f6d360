import * as z from "zod/mini";
import type { WithTable } from "#runtime/dynamodb";
import { type RetrySchedule, readEnvironment, TableName } from "#runtime/environment";
import type { WithSecrets } from "#runtime/secrets-manager";
import { EndpointHealthRepository } from "#webhooks/endpoints/endpoint-health-repository";
import { SealedSecretRepository } from "#webhooks/endpoints/sealed-secret-repository";
import { SecretBox } from "#webhooks/endpoints/secret-box";
import { SigningSecrets } from "#webhooks/endpoints/signing-secrets";
import { WebhookEndpointRepository } from "#webhooks/endpoints/webhook-endpoint-repository";

/** The deployment's webhook endpoints. */
export function webhookEndpointsOf({ documentClient, variables, now }: WithTable): WebhookEndpointRepository {
  const environment = readEnvironment({ TABLE_NAME: TableName }, variables);
  return new WebhookEndpointRepository(documentClient, environment.TABLE_NAME, now);
}

/** The deployment's records of endpoint health. */
export function endpointHealthOf(dependencies: WithTable, schedule: RetrySchedule): EndpointHealthRepository {
  const environment = readEnvironment({ TABLE_NAME: TableName }, dependencies.variables);
  return new EndpointHealthRepository(dependencies.documentClient, environment.TABLE_NAME, {
    ...dependencies,
    schedule,
  });
}

/** The sealed signing secrets of the deployment's endpoints. */
export function sealedSecretsOf({ documentClient, variables, now }: WithTable): SealedSecretRepository {
  const environment = readEnvironment({ TABLE_NAME: TableName }, variables);
  return new SealedSecretRepository(documentClient, environment.TABLE_NAME, now);
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
