import { text } from "node:stream/consumers";
import { type Command, InvalidArgumentError } from "commander";
import * as z from "zod/mini";
import { hashOf, isWellFormedApiKey, keyIdOf } from "#api-keys/api-key";
import { ApiKey, IssueApiKey, IssuedApiKey, ListApiKeys, RevokeApiKey } from "#api-keys/api-key-commands";
import { dateTime } from "#contract/values";
import { EnvironmentName } from "#runtime/environment";
import { CommandError } from "../client/terminal/errors.ts";
import { printable } from "../client/terminal/printable.ts";
import { type Column, print, table } from "./output.ts";
import { invoke } from "./private-functions.ts";

const FULL_DATE = /^\d{4}-\d{2}-\d{2}$/;

const columns: readonly Column<ApiKey>[] = [
  ["Key id", (key) => key.keyId],
  ["Name", (key) => key.name],
  ["Created", (key) => key.createdAt],
  ["Expires", (key) => key.expiresAt ?? "never"],
  ["Revoked", (key) => key.revokedAt],
  ["Last used (to the hour)", (key) => key.lastUsedAt ?? "never"],
];

/** `platform keys …`: the API keys of organisations. */
export function addKeyCommands(program: Command): void {
  const keys = program.command("keys").description("API keys of organisations");

  keys
    .command("create")
    .description("issue a key, which is shown only once")
    .requiredOption("--org <orgId>", "the organisation of the key")
    .requiredOption("--name <text>", "the purpose of the key")
    .option("--new-organisation", "create the organisation with its first key; fails if it exists")
    .option(
      "--expires <date>",
      "a time in the future at which the key expires: YYYY-MM-DD (midnight UTC) or an RFC 3339 date-time",
      parseExpiry,
    )
    .action(async ({ org, name, newOrganisation, expires }: CreateOptions, command: Command) => {
      const request = { orgId: org, newOrganisation, name, expiresAt: expires };
      const key = await invoke(command, "issue-api-key", request, {
        input: IssueApiKey,
        output: IssuedApiKey,
      });
      print(command, key, () =>
        [
          `Key ${key.keyId} of ${key.orgId}, named ${printable(key.name)}, expires ${key.expiresAt ?? "never"}.`,
          "Store it now: it is not shown again.",
          "",
          key.apiKey,
        ].join("\n"),
      );
    });

  keys
    .command("list")
    .description("list an organisation's keys, oldest first")
    .requiredOption("--org <orgId>", "the organisation")
    .action(async ({ org }: { org: string }, command: Command) => {
      const response = await invoke(
        command,
        "list-api-keys",
        { orgId: org },
        { input: ListApiKeys, output: z.object({ data: z.array(ApiKey) }) },
      );
      if (response.data.length === 0) {
        // An organisation is created together with its first key, and revoked keys are listed too.
        throw new CommandError(
          `The organisation ${org} does not exist, was created seconds ago, or its first key could not be created. Check its id.`,
        );
      }
      print(command, response, () => table(response.data, columns));
    });

  addRevocationCommands(keys);
}

/** To find a key that must no longer work, and to revoke it. */
function addRevocationCommands(keys: Command): void {
  keys
    .command("identify")
    .description("print the id of a key read from standard input, such as a leaked one; sends it nowhere")
    .action(async (_options: object, command: Command) => {
      const key = (await text(process.stdin)).trim();
      const environment = EnvironmentName.options.find((each) => isWellFormedApiKey(key, each));
      if (!environment) throw new CommandError("Standard input is not an API key, or not a whole one.");
      const keyId = keyIdOf(hashOf(key));
      print(
        command,
        { keyId, environment },
        () => `The key has the id ${keyId}, in ${environment} if it was issued.`,
      );
    });

  keys
    .command("revoke")
    .description("revoke a key; it stops working within 60 seconds")
    .requiredOption("--key <keyId>", "the key's id, as shown by keys list")
    .action(async ({ key: keyId }: { key: string }, command: Command) => {
      if (!RevokeApiKey.shape.keyId.safeParse(keyId).success) command.error(NO_KEY_ID);
      const key = await invoke(command, "revoke-api-key", { keyId }, { input: RevokeApiKey, output: ApiKey });
      print(command, key, () => `Key ${key.keyId} of ${key.orgId} was revoked at ${key.revokedAt}.`);
    });
}

interface CreateOptions {
  readonly org: string;
  readonly name: string;
  readonly newOrganisation?: boolean;
  readonly expires?: string;
}

/** Does not repeat the argument, which may be a key. */
const NO_KEY_ID =
  "error: --key: the id of a key is expected, as shown by keys list. If you have the key itself, keys identify reads it from standard input and prints its id.";

function parseExpiry(argument: string): string {
  const time = FULL_DATE.test(argument) ? `${argument}T00:00:00Z` : argument;
  if (!dateTime().safeParse(time).success) {
    throw new InvalidArgumentError(
      "Give a date, such as 2027-01-01 (midnight UTC), or an RFC 3339 date-time with Z or an offset, such as 2027-01-01T09:00:00Z.",
    );
  }
  return time;
}
