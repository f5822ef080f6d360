import { readFile, writeFile } from "node:fs/promises";
import { setTimeout } from "node:timers/promises";
import fc from "fast-check";
import { expect, test } from "vitest";
import { Journal } from "../../../client/push/journal.ts";
import { NumberSet } from "../../../client/push/number-set.ts";
import { RefusedFile } from "../../../client/push/refused-file.ts";
import { aFile, entriesOf } from "./files.ts";

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
  const first = await Journal.open(path, "push a");
  first.note(3, "done");
  first.note(1, "refused");
  first.close();
  const second = await Journal.open(path, "push a");
  second.note(2, "done");
  second.close();

  const third = await Journal.open(path, "push a");

  expect([1, 2, 3, 4].map((number) => third.done.has(number))).toEqual([true, true, true, false]);
  expect([1, 2, 3].map((number) => third.refused.has(number))).toEqual([true, false, false]);
  expect(third.done.size).toBe(3);
  third.close();
});

test("a journal truncated anywhere by a crash loses no recorded row and counts no other", async () => {
  const path = await aFile("journal", "");
  const journal = await Journal.open(path, "push a");
  for (const number of [12, 345, 6]) journal.note(number, number === 6 ? "refused" : "done");
  journal.close();
  const whole = await readFile(path, "utf8");

  for (let length = 0; length <= whole.length; length += 1) {
    await writeFile(path, whole.slice(0, length));
    const resumed = await Journal.open(path, "push a");
    resumed.note(99, "done");
    resumed.close();
    const again = await Journal.open(path, "push a");
    again.close();

    const noted = [...whole.slice(0, length).matchAll(/^(\d+)[.!]/gm)].map(([, number]) => Number(number));
    expect(again.done.size, `cut at ${length}`).toBe(noted.length + 1);
    for (const number of [...noted, 99]) expect(again.done.has(number)).toBe(true);
  }
});

test("a journal keeps the time at which its push began", async () => {
  const path = await aFile("journal", "");
  const first = await Journal.open(path, "push a");
  first.note(1, "done");
  first.close();
  await setTimeout(2);

  const second = await Journal.open(path, "push a");
  second.close();
  const other = await Journal.open(path, "push b");
  other.close();

  expect(second.begunAt).toEqual(first.begunAt);
  expect(other.begunAt.getTime()).toBeGreaterThan(first.begunAt.getTime());
});

test("the journal of another push is started anew", async () => {
  const path = await aFile("journal", "");
  const first = await Journal.open(path, "push a");
  first.note(1, "done");
  first.close();

  const other = await Journal.open(path, "push b");
  other.close();

  expect(other.done.size).toBe(0);
  expect(await readFile(path, "utf8")).not.toContain("push a");
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

  expect((await entriesOf(path)).map(({ line }) => line)).toEqual([4, 15]);
  expect((await entriesOf(path))[0]).toEqual({ line: 4, externalId: "ext-4", ...refusal, row: row(4).value });
});
