import { existsSync } from "node:fs";
import { readFile, stat, writeFile } from "node:fs/promises";
import { expect, test } from "vitest";
import { LONGEST_LINE } from "../../../client/push/lines.ts";
import { NumberSet } from "../../../client/push/number-set.ts";
import { keptPathOf, RefusedFile } from "../../../client/push/refused-file.ts";
import { aFile, entriesOf } from "./files.ts";

test("the file of refused rows keeps those of an earlier run that its journal contains", async () => {
  const path = await aFile("refused.ndjson", "");
  const row = (number: number) => ({
    number,
    bytes: 0,
    value: { externalId: `ext-${number}`, summary: "a\u2028b" },
  });
  const reason = "email: an e-mail address is required";
  const refusal = { code: "invalid_request", reason, requestId: "req-1" };
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
