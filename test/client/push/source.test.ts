import { appendFile, chmod, rm, utimes } from "node:fs/promises";
import { expect, test } from "vitest";
import { fileSource, fingerprintOf } from "../../../client/push/source.ts";
import { CommandError, UsageError } from "../../../client/terminal/errors.ts";
import { aFile } from "./files.ts";

const isRoot = process.getuid?.() === 0;

test.skipIf(isRoot)("a file that the user may not read is refused before anything is done", async () => {
  const file = await aFile("rows.ndjson", "{}\n");
  await chmod(file, 0);

  const source = fileSource(file);

  await expect(source).rejects.toBeInstanceOf(UsageError);
  await expect(source).rejects.toThrow(`${file} cannot be read (EACCES).`);
});

test("a file that can no longer be read ends the push with a sentence", async () => {
  const file = await aFile("rows.ndjson", "{}\n");
  const source = await fileSource(file);
  await rm(file);

  const reading = fingerprintOf(source);

  await expect(reading).rejects.toBeInstanceOf(CommandError);
  await expect(reading).rejects.toThrow(`${file} cannot be read (ENOENT).`);
});

test.each([
  ["is written on", (file: string) => appendFile(file, "{}\n")],
  ["is written anew with the same length", (file: string) => utimes(file, 1, 1)],
])("a file that %s during the push ends it with a sentence", async (_, change) => {
  const file = await aFile("rows.ndjson", "{}\n");
  const source = await fileSource(file);
  await change(file);

  const reading = fingerprintOf(source);

  await expect(reading).rejects.toBeInstanceOf(CommandError);
  await expect(reading).rejects.toThrow(`${file} changed while it was read. Wait until it is complete.`);
});

test("a file that stays as it is can be read twice", async () => {
  const source = await fileSource(await aFile("rows.ndjson", "{}\n"));

  expect(await fingerprintOf(source)).toBe(await fingerprintOf(source));
});
