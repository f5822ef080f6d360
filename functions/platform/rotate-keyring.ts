import { privateFunction } from "#aws/private-function";
import { runtime } from "#aws/runtime";
import { secretsManagerClient, type WithSecrets } from "#aws/secrets-manager";
import { RotateKeyring } from "#webhooks/delivery-commands";
import { secretBoxOf } from "#webhooks/keyring";

export const rotateKeyring = (surroundings: WithSecrets) => {
  const secretBox = secretBoxOf(surroundings);
  return privateFunction({
    input: RotateKeyring,
    run: async () => ({ current: await secretBox.rotate() }),
  });
};

export const handler = rotateKeyring({ ...runtime, secretsManagerClient });
