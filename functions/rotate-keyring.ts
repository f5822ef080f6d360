import { privateFunction } from "#aws/private-function";
import { RotateKeyring } from "#webhooks/delivery-commands";
import { secretBox } from "#webhooks/keyring";

export const handler = privateFunction({
  input: RotateKeyring,
  run: async () => ({ current: await secretBox.rotate() }),
});
