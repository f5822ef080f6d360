import { existsSync } from "node:fs";
import { readFile, writeFile } from "node:fs/promises";
import { setTimeout } from "node:timers/promises";
import { expect, test } from "vitest";
import { isJournal, Journal, type PushIdentity } from "../../../client/push/journal.ts";
import { aFile } from "./files.ts";

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

test("a journal truncated anywhere by a crash loses no recorded row and counts no other", async () => {
  const path = await aFile("journal", "");
  const journal = await Journal.open(path, PUSH);
  for (const number of [12, 345, 6]) journal.note(number, number === 6 ? "refused" : "done");
  await journal.end(INTERRUPTED);
  const whole = await readFile(path, "utf8");

  for (let length = 0; length <= whole.length; length += 1) {
    expect(isJournal(whole.slice(0, length))).toBe(true);
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
