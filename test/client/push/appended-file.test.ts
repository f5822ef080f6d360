import fs from "node:fs";
import { chmod, stat, symlink, writeFile } from "node:fs/promises";
import { syncBuiltinESMExports } from "node:module";
import { afterEach, describe, expect, onTestFinished, test, vi } from "vitest";
import { Journal } from "../../../client/push/journal.ts";
import { assertReplaceable } from "../../../client/push/own-files.ts";
import { isRefusedFile, keptPathOf, RefusedFile } from "../../../client/push/refused-file.ts";
import { aFile, entriesOf } from "./files.ts";

const PUSH = { content: "abcdef", destination: "d1" };
const INTERRUPTED = { isComplete: false };

/** The disk is full for the next addition, and takes all but so many of its characters. */
function aDiskFullOnce(cut: number): void {
  const { writeFileSync } = fs;
  vi.spyOn(fs, "writeFileSync").mockImplementationOnce((file, text) => {
    writeFileSync(file, String(text).slice(0, -cut));
    throw Object.assign(new Error("No space left on device"), { code: "ENOSPC" });
  });
  syncBuiltinESMExports();
  onTestFinished(() => {
    vi.restoreAllMocks();
    syncBuiltinESMExports();
  });
}

test("an entry that a full disk cuts off does not become part of a later one", async () => {
  const path = await aFile("journal", "");
  const journal = await Journal.open(path, PUSH);
  journal.note(1, "done");
  aDiskFullOnce(2);

  expect(() => journal.note(28, "done")).toThrow("(ENOSPC)");
  for (const number of [31, 32]) journal.note(number, "done");
  await journal.end(INTERRUPTED);
  const { done } = await Journal.open(path, PUSH);

  expect([1, 31, 32].map((number) => done.has(number))).toEqual([true, true, true]);
  expect(done.size).toBe(3);
});

test("refused rows whose first entry did not fit on a full disk are those of a push still", async () => {
  const path = await aFile("refused.ndjson", "");
  const refused = new RefusedFile(path, "line");
  const add = (number: number) =>
    refused.add({ number, bytes: 0, value: {} }, { code: "invalid_request", reason: "No." });
  aDiskFullOnce(Infinity);

  expect(() => add(1)).toThrow("(ENOSPC)");
  add(2);
  refused.close();

  await expect(assertReplaceable(path, isRefusedFile, "--refused-file")).resolves.toBeUndefined();
  expect(await entriesOf(path)).toMatchObject([{ line: 2 }]);
});

test.skipIf(process.platform === "win32")(
  "a file that others could read or write is the owner's alone once it is continued",
  async () => {
    const path = await aFile("refused.ndjson", '{"line":4,"code":"invalid_request","row":{}}\n');
    const journal = await aFile("journal", "push abcdef d1\n4!\n");
    await writeFile(keptPathOf(path), "");
    for (const each of [journal, keptPathOf(path)]) await chmod(each, 0o666);

    const opened = await Journal.open(journal, PUSH);
    await new RefusedFile(path, "line").begin(opened.refused);

    expect(await entriesOf(path)).toMatchObject([{ line: 4 }]);
    for (const each of [journal, path]) expect((await stat(each)).mode & 0o777).toBe(0o600);
    await opened.end(INTERRUPTED);
  },
);

describe("a file of another user", () => {
  afterEach(() => vi.restoreAllMocks());

  test("is not written, because its owner could read and change it", async () => {
    const path = await aFile("journal", "");
    vi.spyOn(process, "getuid").mockReturnValue((process.getuid?.() ?? 0) + 1);

    await expect(Journal.open(path, PUSH)).rejects.toThrow(`${path} belongs to another user. Remove it`);
  });

  test("is not reached through a symbolic link", async () => {
    const target = await aFile("target", "");
    const path = `${target}.link`;
    await symlink(target, path);

    await expect(Journal.open(path, PUSH)).rejects.toThrow(`${path} cannot be written (ELOOP)`);
  });
});
