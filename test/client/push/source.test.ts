import { appendFile, chmod, rename, rm, utimes } from "node:fs/promises";
import { Readable } from "node:stream";
import { expect, test } from "vitest";
import { fileSource, fingerprintOf, standardInput } from "../../../client/push/source.ts";
import { CommandError, UsageError } from "../../../client/terminal/errors.ts";
import type { Terminal } from "../../../client/terminal/terminal.ts";
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

test("a file that is replaced by one of the same length and time during the push ends it with a sentence", async () => {
  const [file, other] = [await aFile("rows.ndjson", "{}\n"), await aFile("other.ndjson", "[]\n")];
  for (const each of [file, other]) await utimes(each, 1, 1);
  const source = await fileSource(file);
  await rename(other, file);

  await expect(fingerprintOf(source)).rejects.toThrow(`${file} changed while it was read.`);
});

test("a file that has grown since the push began ends it with a sentence, also if its time was kept", async () => {
  const file = await aFile("rows.ndjson", "{}\n");
  await utimes(file, 1, 1);
  const source = await fileSource(file);
  await appendFile(file, "{}\n");
  await utimes(file, 1, 1);

  await expect(fingerprintOf(source)).rejects.toThrow(`${file} changed while it was read.`);
});

test.each([
  ["is cut off in the middle of a character", [0xe2, 0x82], "line 2, byte offset 3 (0xE2)"],
  ["contains a byte of a UTF-16 mark further on", [0xff], "line 2, byte offset 3 (0xFF)"],
])("a file that %s is refused with the place", async (_, end, place) => {
  const file = await aFile("rows.ndjson", Buffer.concat([Buffer.from("{}\n"), Buffer.from(end)]));

  await expect(fingerprintOf(await fileSource(file))).rejects.toThrow(
    `${file} is not UTF-8: ${place}. Save it as UTF-8.`,
  );
});

const utf16 = (text: string) => Buffer.from(text, "utf16le");

test.each<[string, Buffer]>([
  ["little-endian with a byte order mark", utf16("\uFEFF{}")],
  ["big-endian with a byte order mark", utf16("\uFEFF{}").swap16()],
  ["little-endian without one", utf16("{}")],
  ["big-endian without one", utf16("{}").swap16()],
])("a file in UTF-16, %s, is refused as such", async (_, bytes) => {
  const file = await aFile("rows.ndjson", bytes);

  const reading = fingerprintOf(await fileSource(file));

  await expect(reading).rejects.toMatchObject({ correct: "file" });
  await expect(reading).rejects.toThrow(`${file} is not UTF-8: it looks like UTF-16. Save it as UTF-8.`);
});

test("standard input in UTF-16 is refused as such, in chunks of any size", async () => {
  for (const bytes of [utf16("\uFEFF{}"), utf16("{}")]) {
    const stdin = Readable.from([...bytes].map((byte) => Buffer.of(byte))) as Terminal["stdin"];

    await expect(fingerprintOf(standardInput({ stdin }, new AbortController().signal))).rejects.toThrow(
      "it looks like UTF-16.",
    );
  }
});

test.each([
  ["of Excel or LibreOffice", "504b030414000600"],
  ["of Excel before 2007", "d0cf11e0a1b11ae1"],
])("a workbook %s that is said to be CSV is refused as such", async (_, beginning) => {
  const file = await aFile("rows.csv", Buffer.from(beginning, "hex"));

  const reading = fingerprintOf(await fileSource(file));

  await expect(reading).rejects.toBeInstanceOf(UsageError);
  await expect(reading).rejects.toThrow(
    `${file} looks like a workbook, of Excel for example. Save the sheet`,
  );
});

test.each([
  ["with the name of the file", "1f8b0808"],
  ["without it", "1f8b0800"],
])("a file that is compressed %s is refused as such", async (_, beginning) => {
  const file = await aFile("rows.csv", Buffer.from(beginning, "hex"));

  await expect(fingerprintOf(await fileSource(file))).rejects.toThrow(
    new UsageError(`${file} is compressed. Decompress it, and push the file that was in it.`),
  );
});

test("a file that contains a zero further on is UTF-8", async () => {
  const source = await fileSource(await aFile("rows.ndjson", `${"{}\n".repeat(2)}\0`));

  await expect(fingerprintOf(source)).resolves.toMatch(/^[0-9a-f]{64}$/);
});

test("standard input that contains a zero further on is UTF-8, in chunks of any size", async () => {
  const stdin = Readable.from(["{}", "\n{}", "\n\0"].map((chunk) => Buffer.from(chunk))) as Terminal["stdin"];

  await expect(fingerprintOf(standardInput({ stdin }, new AbortController().signal))).resolves.toMatch(
    /^[0-9a-f]{64}$/,
  );
});

test("a device, which may be readable only once, is refused", async () => {
  await expect(fileSource("/dev/null")).rejects.toThrow(
    new UsageError("/dev/null is not a file. Give a file, or - for standard input."),
  );
});

test("a file that stays as it is can be read twice", async () => {
  const source = await fileSource(await aFile("rows.ndjson", "{}\n"));

  expect(await fingerprintOf(source)).toBe(await fingerprintOf(source));
  expect(source.bytesRead, "in the second reading").toBe(3);
});
