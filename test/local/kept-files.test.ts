import { mkdir, readFile, symlink, unlink, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { expect, onTestFinished, test } from "vitest";
import { KnownSecrets } from "../../local/console/known-secrets.ts";
import { Checkpoints } from "../../local/event-sources/checkpoints.ts";
import { DataDirectory } from "../../local/machine/data-directory.ts";
import { writePrivately } from "../../local/machine/kept-file.ts";
import { SecretsManager } from "../../local/secrets-manager.ts";
import { keptOrganisations } from "../../local/service/credentials.ts";
import { MessageDatabase } from "../../local/sqs/message-database.ts";
import { temporaryFolder } from "../builders/temporary-folder.ts";
import { startCommand } from "./start-command.ts";

const RESTORE =
  "Put a copy of the data folder back, or start with npm start -- --reset, which deletes all local data.";

const inFolder = (file: string) => new DataDirectory(join(file, ".."), { version: 1 });

/** Reads the identity in a file's folder. */
function readIdentity(file: string): void {
  const data = inFolder(file);
  try {
    data.identity();
  } finally {
    data.release();
  }
}

test.each<[string, (file: string) => unknown, string]>([
  ["identity.json", readIdentity, RESTORE],
  ["secrets.json", (file) => new SecretsManager(file), RESTORE],
  ["console.json", (file) => new KnownSecrets(file), RESTORE],
  ["credentials.json", keptOrganisations, "Correct it, or delete it: npm start then issues new keys."],
  ["checkpoints.sqlite", (file) => new Checkpoints(file, () => {}), RESTORE],
  ["lock.sqlite", inFolder, "It holds no data: delete it, then start again."],
])("A damaged %s is named, with the remedy", async (name, read, remedy) => {
  const file = join(await temporaryFolder(), name);
  for (const text of ["half of {", '"of another form"', "\0".repeat(8_192)]) {
    await writeFile(file, text);
    expect(() => read(file)).toThrow(
      expect.objectContaining({ name: "CommandError", message: `${file} is damaged. ${remedy}` }),
    );
  }
});

test.each<[string, (file: string) => unknown]>([
  ["identity.json", readIdentity],
  ["secrets.json", (file) => new SecretsManager(file)],
  ["lock.sqlite", inFolder],
  ["queues.sqlite", (file) => new MessageDatabase(file)],
  ["checkpoints.sqlite", (file) => new Checkpoints(file, () => {})],
  ["credentials.json", (file) => writePrivately(file, "{}")],
])("A folder where %s is expected is named", async (name, read) => {
  const file = join(await temporaryFolder(), name);
  await mkdir(file);

  expect(() => read(file)).toThrow(
    expect.objectContaining({
      name: "CommandError",
      message: `${file} is a folder, but a file is expected there. Move the folder, then start again.`,
    }),
  );
});

const readQueues = (file: string) => new MessageDatabase(file).load();
const readCheckpoints = (file: string) => new Checkpoints(file, () => {});

test.each<[string, string, (file: string) => unknown]>([
  ["queues", "CREATE TABLE queues (name TEXT)", readQueues],
  [
    "queues",
    "CREATE TABLE queues (name TEXT, record TEXT); INSERT INTO queues VALUES ('q', '{\"id\":')",
    readQueues,
  ],
  [
    "queues",
    "CREATE TABLE queues (name TEXT, record TEXT); INSERT INTO queues VALUES ('q', '{\"id\":\"a\"}')",
    readQueues,
  ],
  [
    "queues",
    "CREATE TABLE messages (id TEXT, queue TEXT, message TEXT); INSERT INTO messages VALUES ('m', 'q', '{\"id\":\"m\"}')",
    readQueues,
  ],
  ["checkpoints", "CREATE TABLE positions (source TEXT)", readCheckpoints],
  [
    "checkpoints",
    "CREATE TABLE positions (source TEXT, shard TEXT, position TEXT); INSERT INTO positions VALUES ('a', 'b', '{}')",
    readCheckpoints,
  ],
])("A database of %s with other content is named, with the remedy: %s", async (name, statements, read) => {
  const file = join(await temporaryFolder(), `${name}.sqlite`);
  const other = new DatabaseSync(file);
  other.exec(statements);
  other.close();

  expect(() => read(file)).toThrow(
    expect.objectContaining({ name: "CommandError", message: `${file} is damaged. ${RESTORE}` }),
  );
});

test("A database of queues that is damaged in the middle is named, with the remedy", async () => {
  const file = join(await temporaryFolder(), "queues.sqlite");
  new MessageDatabase(file).close();
  // Its pages have 4,096 bytes: the first describes the tables, the others contain them.
  const bytes = await readFile(file);
  await writeFile(file, bytes.fill(0xff, 4_096));

  const database = new MessageDatabase(file);
  onTestFinished(() => database.close());

  expect(() => database.load()).toThrow(
    expect.objectContaining({ name: "CommandError", message: `${file} is damaged. ${RESTORE}` }),
  );
});

test("npm start ends with one sentence if a file is damaged, and a reset starts empty", async () => {
  const dataDir = await temporaryFolder();
  const file = join(dataDir, "identity.json");
  await writeFile(file, "");
  const run = startCommand({ LOCAL_DATA_DIR: dataDir });
  expect(await run.ended).toEqual([1, null]);
  expect(await run.until("\n")).toBe(`${file} is damaged. ${RESTORE}\n`);

  const data = new DataDirectory(dataDir, { version: 1, reset: true });
  onTestFinished(() => data.release());
  expect(data.identity()).toEqual(data.identity());
});

test.skipIf(process.platform !== "linux")(
  "A secret that a full disk does not take is not taken for stored when its call is repeated",
  async () => {
    const file = join(await temporaryFolder(), "secrets.json");
    const secrets = new SecretsManager(file);
    secrets.deploy({ name: "keyring", arn: "arn", initialValue: () => "first" });
    const draft = `${file}.${process.pid}.draft`;
    await symlink("/dev/full", draft);
    const put = () =>
      secrets.call("PutSecretValue", {
        SecretId: "keyring",
        ClientRequestToken: "token",
        SecretString: "second",
      });

    for (const _attempt of [1, 2]) expect(put).toThrow(expect.objectContaining({ code: "ENOSPC" }));
    expect(secrets.call("GetSecretValue", { SecretId: "keyring" })).toMatchObject({ SecretString: "first" });

    await unlink(draft);
    put();
    expect(new SecretsManager(file).call("GetSecretValue", { SecretId: "keyring" })).toMatchObject({
      SecretString: "second",
    });
  },
);

test("A file is replaced once its new text is on the disk", async () => {
  const file = join(await temporaryFolder(), "secrets.json");
  writePrivately(file, "old");
  // It accepts any text, and cannot be synced.
  await symlink("/dev/null", `${file}.${process.pid}.draft`);

  expect(() => writePrivately(file, "new")).toThrow(expect.objectContaining({ syscall: "fsync" }));

  expect(await readFile(file, "utf8")).toBe("old");
});
