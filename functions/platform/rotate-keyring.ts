import { privateFunction } from "#runtime/private-function";
import { runtime } from "#runtime/runtime";
import { secretsManagerClient, type WithSecrets } from "#runtime/secrets-manager";
import { RotateKeyring } from "#webhooks/delivery/delivery-commands";
import { secretBoxOf } from "#webhooks/endpoints/composition";

export const rotateKeyring = (surroundings: WithSecrets) => {
  const secretBox = secretBoxOf(surroundings);
  return privateFunction({
    input: RotateKeyring,
    run: async () => ({ current: await secretBox.rotate() }),
  });
};

export const handler = rotateKeyring({ ...runtime, secretsManagerClient });
