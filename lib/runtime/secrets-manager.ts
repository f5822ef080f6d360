import { SecretsManagerClient } from "@aws-sdk/client-secrets-manager";
import { clientDefaults } from "#runtime/client-defaults";
import type { Runtime } from "#runtime/runtime";

/** The runtime of a function that accesses secrets. */
export interface WithSecrets extends Runtime {
  readonly secretsManagerClient: SecretsManagerClient;
}

/** One client per process. */
export const secretsManagerClient = new SecretsManagerClient(clientDefaults);
