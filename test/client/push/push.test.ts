import { setImmediate } from "node:timers/promises";
import { describe, expect, test } from "vitest";
import { Journal } from "../../../client/push/journal.ts";
import type { Outcome, Submit } from "../../../client/push/outcome.ts";
import { Pacer } from "../../../client/push/pacer.ts";
import { push } from "../../../client/push/push.ts";
import { type Refusal, RefusedFile } from "../../../client/push/refused-file.ts";
import type { Row } from "../../../client/push/row.ts";
import { emptyTally } from "../../../client/push/tally.ts";
import { aFile, entriesOf } from "./files.ts";

const created: Outcome = { kind: "created" };
const refused: Outcome = { kind: "refused", refusal: { code: "invalid_request", reason: "No." } };
const failed: Outcome = { kind: "failed", refusal: { code: "internal_error", reason: "Alas." } };

async function* rowsUpTo(count: number, taken: number[] = []): AsyncGenerator<Row> {
  for (let number = 1; number <= count; number += 1) {
    taken.push(number);
    yield { number, bytes: 1, value: { externalId: `ext-${number}` } };
  }
}

/** Deals with each row of a batch in turn. */
function each(outcomeOf: (row: Row) => Promise<Outcome>): Submit {
  return async function* (rows) {
    for (const row of rows) yield { row, outcome: await outcomeOf(row) };
  };
}

/** A push of so many rows in batches of two, and what it needs. */
async function aPush(outcomeOf: (row: Row) => Promise<Outcome>, count = 100) {
  const taken: number[] = [];
  const path = await aFile("rows", "");
  const stopping = new AbortController();
  const options = {
    rows: rowsUpTo(count, taken),
    submit: each(outcomeOf),
    limits: { rows: 2, bytes: 1000 },
    checkRepetition: (): Refusal | undefined => undefined,
    checkMembers: ({ number }: Row): Refusal | undefined =>
      number === 50 ? { code: "invalid_request", reason: "Not so." } : undefined,
    concurrency: 4,
    journal: await Journal.open(`${path}.push-journal`, { content: "c0", destination: "d0" }),
    refusedFile: new RefusedFile(`${path}.refused.ndjson`, "line"),
    pacer: new Pacer(),
    tally: emptyTally(),
    stopping,
  };
  return { options, taken, stopping };
}

describe("a push", () => {
  test("submits each valid row once, with limited concurrency, and reads no batch ahead", async () => {
    const dealt: number[] = [];
    let underWay = 0;
    let most = 0;
    const { options, taken } = await aPush(async ({ number }) => {
      underWay += 1;
      most = Math.max(most, underWay);
      expect(taken.length - dealt.length).toBeLessThanOrEqual(9);
      await setImmediate();
      underWay -= 1;
      dealt.push(number);
      return created;
    });

    await push(options);

    expect(dealt.sort((one, other) => one - other)).toEqual(taken.filter((number) => number !== 50));
    expect(most).toBe(4);
    expect(options.tally).toMatchObject({ created: 99, refused: 1, bytes: 100 });
    expect(await entriesOf(options.refusedFile.path)).toMatchObject([{ line: 50, reason: "Not so." }]);
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
      skippedBytes: 3,
      bytes: 10,
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

  test("starts no batch after it was stopped, and finishes those under way", async () => {
    const { options, taken, stopping } = await aPush(async ({ number }) => {
      if (number === 20) stopping.abort();
      await setImmediate();
      return created;
    });

    await push(options);

    // One batch may have been read and not started.
    expect(options.tally.created).toBeGreaterThanOrEqual(taken.length - 3);
    expect(taken.length).toBeLessThan(32);
  });

  test("starts no batch while the service asks to wait", async () => {
    const began: number[] = [];
    const { options } = await aPush(async ({ number }) => {
      began.push(performance.now());
      if (number === 8) options.pacer.pause(150, "busy");
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
    // The row that throws, and a batch that may have been read and not started.
    expect(options.tally.created).toBeGreaterThanOrEqual(taken.length - 4);
    expect(taken.length).toBeLessThan(25);
  });

  test("fails when the service fails for many rows in succession", async () => {
    const { options } = await aPush(async ({ number }) => (number > 5 ? failed : created));

    await expect(push(options)).rejects.toThrow("fails for every row");
    expect(options.tally.failed).toBeLessThan(15);
  });

  test("fails after ten rows in succession, and counts none of those before a success", async () => {
    const { options } = await aPush(async ({ number }) => (number === 10 ? created : failed));

    await expect(push({ ...options, concurrency: 1 })).rejects.toThrow("fails for every row");
    expect(options.tally).toMatchObject({ created: 1, failed: 19 });
  });

  test("fails with the first error if several batches fail", async () => {
    const { options } = await aPush(async ({ number }) => {
      await setImmediate();
      if (number > 1) await setImmediate();
      throw new Error(number > 1 ? "later" : "unauthorized");
    });

    await expect(push(options)).rejects.toThrow("unauthorized");
  });

  test("closes what it reads when it fails", async () => {
    let isClosed = false;
    const { options } = await aPush(() => Promise.reject(new Error("unauthorized")));
    const rows = async function* () {
      try {
        yield* options.rows;
      } finally {
        isClosed = true;
      }
    };

    await expect(push({ ...options, rows: rows(), concurrency: 1 })).rejects.toThrow("unauthorized");
    expect(isClosed).toBe(true);
  });
});
