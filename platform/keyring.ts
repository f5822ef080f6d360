import type { Command } from "commander";
import { ResealedSigningSecrets, RotatedKeyring } from "#webhooks/endpoints/keyring-commands";
import { print } from "./output.ts";
import { invoke } from "./private-functions.ts";

/** `platform keyring …`: the keys with which signing secrets are sealed. */
export function addKeyringCommands(program: Command): void {
  const keyring = program.command("keyring").description("the keys that seal signing secrets");

  keyring
    .command("rotate")
    .description("add a new sealing key; secrets sealed with older keys can still be decrypted")
    .action(async (_options: object, command: Command) => {
      const response = await invoke(command, "rotate-keyring", {}, RotatedKeyring);
      print(command, response, () => `New secrets are now sealed with key ${response.current}.`);
    });

  keyring
    .command("reseal")
    .description("reseal all secrets sealed with older keys, using the current key")
    .action(async (_options: object, command: Command) => {
      let resealed = 0;
      for (;;) {
        const round = await invoke(command, "reseal-signing-secrets", {}, ResealedSigningSecrets);
        resealed += round.resealed;
        if (round.resealed === 0) break;
      }
      print(
        command,
        { resealed },
        () => `Resealed the signing secrets of ${resealed} ${resealed === 1 ? "endpoint" : "endpoints"}.`,
      );
    });
}
