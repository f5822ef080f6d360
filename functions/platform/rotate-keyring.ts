import { privateFunction } from "#runtime/private-function";
import { runtime } from "#runtime/runtime";
import { secretsManagerClient, type WithSecrets } from "#runtime/secrets-manager";
import { keyringRotationOf } from "#webhooks/endpoints/composition";
import { RotateKeyring } from "#webhooks/endpoints/keyring-commands";

export const rotateKeyring = (dependencies: WithSecrets) => {
  const rotation = keyringRotationOf(dependencies);
  return privateFunction({
    input: RotateKeyring,
    loggedInput: [],
    run: async () => ({ current: await rotation.rotate() }),
    loggedOutput: ({ current }) => ({ sealingKeyId: current }),
  });
};

export const handler = rotateKeyring({ ...runtime, secretsManagerClient });
