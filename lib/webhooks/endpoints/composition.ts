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
export function endpointHealthOf(surroundings: WithTable, schedule: RetrySchedule): EndpointHealthRepository {
  const environment = readEnvironment({ TABLE_NAME: TableName }, surroundings.variables);
  return new EndpointHealthRepository(surroundings.documentClient, environment.TABLE_NAME, {
    ...surroundings,
    schedule,
  });
}

/** The sealed signing secrets of the deployment's endpoints. */
export function sealedSecretsOf({ documentClient, variables, now }: WithTable): SealedSecretRepository {
  const environment = readEnvironment({ TABLE_NAME: TableName }, variables);
  return new SealedSecretRepository(documentClient, environment.TABLE_NAME, now);
}

/** Seals and opens secrets with the deployment's keyring. */
export function secretBoxOf(surroundings: WithSecrets): SecretBox {
  const shape = { KEYRING_SECRET_ID: z.string().check(z.minLength(1)) };
  const environment = readEnvironment(shape, surroundings.variables);
  return new SecretBox(surroundings.secretsManagerClient, environment.KEYRING_SECRET_ID, surroundings);
}

/** The signing secrets of the deployment's endpoints. */
export function signingSecretsOf(surroundings: WithSecrets): SigningSecrets {
  return new SigningSecrets(secretBoxOf(surroundings), surroundings);
}
