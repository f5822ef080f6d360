import fs, { existsSync } from "node:fs";
import { chmod, readFile, stat, symlink, writeFile } from "node:fs/promises";
import { syncBuiltinESMExports } from "node:module";
import { setTimeout } from "node:timers/promises";
import fc from "fast-check";
import { afterEach, describe, expect, onTestFinished, test, vi } from "vitest";
import { Journal, type PushIdentity } from "../../../client/push/journal.ts";
import { LONGEST_LINE } from "../../../client/push/lines.ts";
import { NumberSet } from "../../../client/push/number-set.ts";
import { keptPathOf, RefusedFile } from "../../../client/push/refused-file.ts";
import { aFile, entriesOf } from "./files.ts";

const PUSH = { content: "abcdef", destination: "d1" };
const OTHER_FILE = { content: "c0ffee", destination: "d1" };
const ELSEWHERE = { ...PUSH, destination: "d2" };
const INTERRUPTED = { isComplete: false };

/** Opens a journal, notes its first row and ends the run. */
async function interrupted(path: string, push: PushIdentity, outcome: "done" | "refused"): Promise<void> {
  const journal = await Journal.open(path, push);
  journal.note(1, outcome);
  await journal.end(INTERRUPTED);
}

test("a set of row numbers contains the numbers added, in any order", () => {
  fc.assert(
    fc.property(fc.array(fc.nat(100_000)), (numbers) => {
      const set = new NumberSet();
      for (const number of numbers) set.add(number);

      const expected = new Set(numbers);
      expect(set.size).toBe(expected.size);
      for (const number of [0, 7, 8, 100_001, 9_000_000, ...numbers]) {
        expect(set.has(number)).toBe(expected.has(number));
      }
    }),
  );
});

test("a journal is continued each time it is opened again", async () => {
  const path = await aFile("journal", "");
  const first = await Journal.open(path, PUSH);
  first.note(3, "done");
  first.note(1, "refused");
  await first.end(INTERRUPTED);
  const second = await Journal.open(path, PUSH);
  second.note(2, "done");
  await second.end(INTERRUPTED);

  const third = await Journal.open(path, PUSH);

  expect([1, 2, 3, 4].map((number) => third.done.has(number))).toEqual([false, true, true, false]);
  expect([1, 2, 3].map((number) => third.refused.has(number))).toEqual([true, false, false]);
  await third.end(INTERRUPTED);
});

test("an entry that a full disk cuts off does not become part of a later one", async () => {
  const path = await aFile("journal", "");
  const journal = await Journal.open(path, PUSH);
  journal.note(1, "done");
  const { writeFileSync } = fs;
  vi.spyOn(fs, "writeFileSync").mockImplementationOnce((file, text) => {
    writeFileSync(file, String(text).slice(0, -2));
    throw Object.assign(new Error("No space left on device"), { code: "ENOSPC" });
  });
  syncBuiltinESMExports();
  onTestFinished(() => {
    vi.restoreAllMocks();
    syncBuiltinESMExports();
  });

  expect(() => journal.note(28, "done")).toThrow("(ENOSPC)");
  for (const number of [31, 32]) journal.note(number, "done");
  await journal.end(INTERRUPTED);
  const { done } = await Journal.open(path, PUSH);

  expect([1, 31, 32].map((number) => done.has(number))).toEqual([true, true, true]);
  expect(done.size).toBe(3);
});

test("a journal truncated anywhere by a crash loses no recorded row and counts no other", async () => {
  const path = await aFile("journal", "");
  const journal = await Journal.open(path, PUSH);
  for (const number of [12, 345, 6]) journal.note(number, number === 6 ? "refused" : "done");
  await journal.end(INTERRUPTED);
  const whole = await readFile(path, "utf8");

  for (let length = 0; length <= whole.length; length += 1) {
    await writeFile(path, whole.slice(0, length));
    const resumed = await Journal.open(path, PUSH);
    resumed.note(99, "done");
    await resumed.end(INTERRUPTED);
    const again = await Journal.open(path, PUSH);
    await again.end(INTERRUPTED);

    const noted = [...whole.slice(0, length).matchAll(/^(\d+)[.!]/gm)].map(([, number]) => Number(number));
    expect(again.done.size + again.refused.size, `cut at ${length}`).toBe(noted.length + 1);
    for (const number of [...noted, 99]) {
      expect((number === 6 ? again.refused : again.done).has(number)).toBe(true);
    }
  }
});

test("a journal keeps the time at which its push began", async () => {
  const path = await aFile("journal", "");
  const first = await Journal.open(path, PUSH);
  first.note(1, "done");
  await first.end(INTERRUPTED);
  await setTimeout(2);

  const second = await Journal.open(path, PUSH);
  await second.end(INTERRUPTED);
  const other = await Journal.open(path, OTHER_FILE);
  await other.end(INTERRUPTED);

  expect(second.begunAt).toEqual(first.begunAt);
  expect(other.begunAt.getTime()).toBeGreaterThan(first.begunAt.getTime());
});

test("the journal of another file is started anew", async () => {
  const path = await aFile("journal", "");
  await interrupted(path, PUSH, "done");

  const other = await Journal.open(path, OTHER_FILE);
  other.note(7, "done");
  await other.end(INTERRUPTED);

  expect(other.done.size).toBe(1);
  expect(await readFile(path, "utf8")).toMatch(/^push c0ffee d1\nbegun \S+\n7\.\n$/);
});

test("an interrupted push keeps its journal until one to another destination has done a row", async () => {
  const path = await aFile("journal", "");
  await interrupted(path, PUSH, "done");
  const before = await readFile(path, "utf8");

  await interrupted(path, ELSEWHERE, "refused");
  const afterRefusal = await readFile(path, "utf8");
  const other = await Journal.open(path, ELSEWHERE);
  other.note(1, "refused");
  other.note(2, "done");
  other.note(3, "done");
  await other.end(INTERRUPTED);

  expect(afterRefusal).toBe(before);
  expect(await readFile(path, "utf8")).toMatch(/^push abcdef d2\nbegun \S+\n1!\n2\.\n3\.\n$/);
});

test("a push without journal entries that matter gives way to one to another destination at once", async () => {
  const path = await aFile("journal", "push abcdef d1\nbegun 2026-11-26T00:00:00.000Z\n1!\n");

  const other = await Journal.open(path, ELSEWHERE);

  expect(await readFile(path, "utf8")).toMatch(/^push abcdef d2\nbegun \S+\n$/);
  expect(other.refused.size).toBe(0);
  await other.end(INTERRUPTED);
});

test("a push that ends without anything to resume leaves no journal", async () => {
  const complete = await aFile("journal", "");
  await interrupted(complete, PUSH, "done");
  const refusedOnly = await aFile("journal", "");

  await (await Journal.open(complete, PUSH)).end({ isComplete: true });
  await interrupted(refusedOnly, PUSH, "refused");

  expect(existsSync(complete)).toBe(false);
  expect(existsSync(refusedOnly)).toBe(false);
});

test("the file of refused rows keeps those of an earlier run that its journal contains", async () => {
  const path = await aFile("refused.ndjson", "");
  const row = (number: number) => ({
    number,
    bytes: 0,
    value: { externalId: `ext-${number}`, summary: "a\u2028b" },
  });
  const refusal = { code: "invalid_request", reason: "email: an e-mail address is required" };
  const first = new RefusedFile(path, "line");
  await first.begin(undefined);
  for (const number of [4, 8, 15]) first.add(row(number), refusal);
  first.close();
  const known = new NumberSet();
  known.add(4);
  known.add(15);
  await writeFile(path, (await readFile(path, "utf8")).slice(0, -20));

  const second = new RefusedFile(path, "line");
  await second.begin(known);
  second.add(row(15), refusal);
  second.close();

  // The entry of row 15 had been cut off.
  expect([4, 8, 15].filter((number) => second.kept.has(number))).toEqual([4]);
  expect((await entriesOf(path)).map(({ line }) => line)).toEqual([4, 15]);
  expect((await entriesOf(path))[0]).toEqual({ line: 4, externalId: "ext-4", ...refusal, row: row(4).value });
});

test("the file of refused rows keeps the longest row that is read, although it is longer there", async () => {
  const path = await aFile("refused.ndjson", "");
  const first = new RefusedFile(path, "line");
  first.add({ number: 1, bytes: 0, value: '"'.repeat(LONGEST_LINE) }, { code: "c", reason: "not JSON" });
  first.close();
  const { size } = await stat(path);
  const known = new NumberSet();
  known.add(1);

  const second = new RefusedFile(path, "line");
  await second.begin(known);

  expect(second.kept.has(1)).toBe(true);
  expect((await stat(path)).size).toBe(size);
});

test("a push that begins anew removes what a crash has left, and another push's refused rows once it goes on", async () => {
  const path = await aFile("refused.ndjson", '{"line":1}\n');
  await writeFile(keptPathOf(path), '{"line":1}\n');
  const present = () => [path, keptPathOf(path)].filter((each) => existsSync(each));
  const file = new RefusedFile(path, "line");

  await file.begin(new NumberSet());
  const atFirst = present();
  file.replaceOther();

  expect(atFirst).toEqual([path]);
  expect(present()).toEqual([]);
});

test("the file of refused rows contains no character that controls a terminal", async () => {
  const path = await aFile("refused.ndjson", "");
  const refused = new RefusedFile(path, "line");
  const value = { externalId: "ext-1", summary: "a\u009b31m\u202e\u2028\u007f" };
  refused.add({ number: 1, bytes: 0, value }, { code: "invalid_request", reason: "\u009b2J" });
  refused.close();

  expect(await readFile(path, "utf8")).toMatch(/^[\x20-\x7e]*\n$/);
  expect(await entriesOf(path)).toMatchObject([{ reason: "\u009b2J", row: value }]);
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
