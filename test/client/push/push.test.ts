import { setImmediate } from "node:timers/promises";
import { describe, expect, test } from "vitest";
import { Journal } from "../../../client/push/journal.ts";
import { Pacer } from "../../../client/push/pacer.ts";
import { push } from "../../../client/push/push.ts";
import { RefusedFile } from "../../../client/push/refused-file.ts";
import type { Row } from "../../../client/push/row.ts";
import type { Outcome, Submit } from "../../../client/push/submit.ts";
import { emptyTally } from "../../../client/push/tally.ts";
import { aFile, entriesOf } from "./files.ts";

const created: Outcome = { kind: "created" };
const refused: Outcome = { kind: "refused", refusal: { code: "invalid_request", reason: "No." } };
const failed: Outcome = { kind: "failed", refusal: { code: "internal_error", reason: "Alas." } };

async function* rowsUpTo(count: number, taken: number[] = []): AsyncGenerator<Row> {
  for (let number = 1; number <= count; number += 1) {
    taken.push(number);
    yield { number, position: number, value: { externalId: `ext-${number}` } };
  }
}

/** A push of so many rows, and what it needs. */
async function aPush(submit: Submit, count = 100) {
  const taken: number[] = [];
  const path = await aFile("rows", "");
  const stopping = new AbortController();
  const options = {
    rows: rowsUpTo(count, taken),
    submit,
    concurrency: 4,
    journal: await Journal.open(`${path}.push-journal`, "push"),
    refusedFile: new RefusedFile(`${path}.refused.ndjson`, "line"),
    pacer: new Pacer(),
    tally: emptyTally(),
    stop: stopping.signal,
  };
  return { options, taken, stopping };
}

describe("a push", () => {
  test("submits each row once, with limited concurrency, and reads no row ahead", async () => {
    const dealt: number[] = [];
    let underWay = 0;
    let most = 0;
    const { options, taken } = await aPush(async ({ number }) => {
      underWay += 1;
      most = Math.max(most, underWay);
      expect(taken.length - dealt.length).toBeLessThanOrEqual(4);
      await setImmediate();
      underWay -= 1;
      dealt.push(number);
      return created;
    });

    await push(options);

    expect(dealt.sort((one, other) => one - other)).toEqual(taken);
    expect(most).toBe(4);
    expect(options.tally).toMatchObject({ created: 100, position: 100 });
  });

  test("skips rows in its journal, and records the outcome of each row", async () => {
    const seen: number[] = [];
    const { options } = await aPush(async ({ number }) => {
      seen.push(number);
      return number === 7 ? refused : number === 8 ? failed : created;
    }, 10);
    for (const number of [1, 2, 5]) options.journal.note(number, "done");

    await push(options);

    expect(seen.sort((one, other) => one - other)).toEqual([3, 4, 6, 7, 8, 9, 10]);
    expect(options.tally).toMatchObject({
      skipped: 3,
      skippedPosition: 5,
      created: 5,
      refused: 1,
      failed: 1,
    });
    expect(options.journal.refused.has(7)).toBe(true);
    expect(options.journal.done.has(8), "it is for the next run").toBe(false);
    expect(
      (await entriesOf(options.refusedFile.path)).map(({ line, reason }) => [line, reason]).sort(),
    ).toEqual([
      [7, "No."],
      [8, "Alas."],
    ]);
  });

  test("starts no row after it was stopped, and finishes those under way", async () => {
    const { options, taken, stopping } = await aPush(async ({ number }) => {
      if (number === 20) stopping.abort();
      await setImmediate();
      return created;
    });

    await push(options);

    expect(options.tally.created).toBe(taken.length);
    expect(taken.length).toBeLessThan(25);
  });

  test("starts no row while the service asks to wait", async () => {
    const began: number[] = [];
    const { options } = await aPush(async ({ number }) => {
      began.push(performance.now());
      if (number === 8) options.pacer.pause(150);
      return created;
    }, 20);

    await push(options);

    const longest = Math.max(...began.slice(1).map((at, before) => at - (began[before] ?? at)));
    expect(longest).toBeGreaterThan(140);
    expect(began).toHaveLength(20);
  });

  test("fails when a row throws, after finishing those under way", async () => {
    const { options, taken } = await aPush(async ({ number }) => {
      await setImmediate();
      if (number === 10) throw new Error("unauthorized");
      return created;
    });

    await expect(push(options)).rejects.toThrow("unauthorized");
    expect(options.tally.created).toBe(taken.length - 1);
    expect(taken.length).toBeLessThan(20);
  });

  test("fails when the service fails for many rows in succession", async () => {
    const { options } = await aPush(async ({ number }) => (number > 5 ? failed : created));

    await expect(push(options)).rejects.toThrow("fails for every row");
    expect(options.tally.failed).toBeLessThan(15);
  });
});
