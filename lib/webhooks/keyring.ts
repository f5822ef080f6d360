import { SecretsManagerClient } from "@aws-sdk/client-secrets-manager";
import * as z from "zod/mini";
import { clientDefaults } from "#aws/client-defaults";
import { readEnvironment } from "#aws/environment";
import { SecretBox } from "#webhooks/secret-box";
import { SigningSecrets } from "#webhooks/signing-secrets";

const environment = readEnvironment({ KEYRING_SECRET_ID: z.string().check(z.minLength(1)) });

/** Seals and opens with the deployment's keyring. */
export const secretBox = new SecretBox(
  new SecretsManagerClient(clientDefaults),
  environment.KEYRING_SECRET_ID,
);

/** The signing secrets of the deployment's endpoints. */
export const signingSecrets = new SigningSecrets(secretBox);
