import * as z from "zod/mini";
import { readEnvironment } from "#runtime/environment";
import type { WithSecrets } from "#runtime/secrets-manager";
import { SecretBox } from "#webhooks/endpoints/secret-box";
import { SigningSecrets } from "#webhooks/endpoints/signing-secrets";

/** Seals and opens with the deployment's keyring. */
export function secretBoxOf(surroundings: WithSecrets): SecretBox {
  const shape = { KEYRING_SECRET_ID: z.string().check(z.minLength(1)) };
  const environment = readEnvironment(shape, surroundings.variables);
  return new SecretBox(surroundings.secretsManagerClient, environment.KEYRING_SECRET_ID, surroundings);
}

/** The signing secrets of the deployment's endpoints. */
export function signingSecretsOf(surroundings: WithSecrets): SigningSecrets {
  return new SigningSecrets(secretBoxOf(surroundings), surroundings);
}
