import type { Command } from "commander";
import {
  ResealedSigningSecrets,
  ResealSigningSecrets,
  RotatedKeyring,
  RotateKeyring,
} from "#webhooks/endpoints/keyring-commands";
import { CommandError } from "../client/terminal/errors.ts";
import { print } from "./output.ts";
import { invoke } from "./private-functions.ts";

/** `platform keyring …`: the keys with which signing secrets are sealed. */
export function addKeyringCommands(program: Command): void {
  const keyring = program.command("keyring").description("the keys that seal signing secrets");

  keyring
    .command("rotate")
    .description("add a new sealing key; secrets sealed with older keys can still be decrypted")
    .action(async (_options: object, command: Command) => {
      const response = await invoke(
        command,
        "rotate-keyring",
        {},
        { input: RotateKeyring, output: RotatedKeyring },
      );
      print(command, response, () => `New secrets are now sealed with key ${response.current}.`);
    });

  keyring
    .command("reseal")
    .description("reseal all secrets sealed with older keys, using the current key")
    .action(async (_options: object, command: Command) => {
      const { resealed, unopened } = await resealAll(command);
      print(command, { resealed, unopened }, () => `Resealed the signing secrets of ${endpoints(resealed)}.`);
      if (unopened > 0) {
        throw new CommandError(
          `The signing secrets of ${endpoints(unopened)} cannot be opened: see docs/operations.md#keys. The log of reseal-signing-secrets names the endpoints.`,
        );
      }
    });
}

/** Invokes the function repeatedly, because each invocation is limited, until it reseals none. */
async function resealAll(command: Command): Promise<ResealedSigningSecrets> {
  let resealed = 0;
  for (;;) {
    const round = await invoke(
      command,
      "reseal-signing-secrets",
      {},
      { input: ResealSigningSecrets, output: ResealedSigningSecrets },
    );
    resealed += round.resealed;
    if (round.resealed === 0) return { resealed, unopened: round.unopened };
  }
}

function endpoints(count: number): string {
  return `${count} ${count === 1 ? "endpoint" : "endpoints"}`;
}
