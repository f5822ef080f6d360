import { expect, test } from "vitest";
import { batchesOf } from "../../../client/push/batches.ts";
import type { Row } from "../../../client/push/row.ts";

/** Rows of so many bytes of JSON each. */
async function* rowsOf(sizes: readonly number[]): AsyncGenerator<Row> {
  for (const [at, size] of sizes.entries())
    yield { number: at + 1, bytes: size, value: "x".repeat(size - 2) };
}

test.each([
  [
    "as many rows as it may have",
    [3, 3, 3, 3, 3],
    [
      [1, 2, 3],
      [4, 5],
    ],
  ],
  ["as many bytes as it may have, with a comma for each row", [9, 9, 9, 10], [[1, 2], [3], [4]]],
  [
    "as many bytes after one that has all its rows",
    [5, 5, 5, 9, 9],
    [
      [1, 2, 3],
      [4, 5],
    ],
  ],
  ["a row alone that has more bytes", [3, 30, 3], [[1], [2], [3]]],
])("a batch has %s", async (_, sizes, expected) => {
  const batches = await Array.fromAsync(batchesOf(rowsOf(sizes), { rows: 3, bytes: 20 }));

  expect(batches.map((batch) => batch.map(({ number }) => number))).toEqual(expected);
});

test("a batch counts the bytes of its rows, not their characters", async () => {
  const rows = async function* () {
    for (const number of [1, 2, 3]) yield { number, bytes: 9, value: "é".repeat(3) };
  };

  const batches = await Array.fromAsync(batchesOf(rows(), { rows: 3, bytes: 20 }));

  expect(batches.map((batch) => batch.length)).toEqual([2, 1]);
});

test("a batch has no further row once batches are narrowed while it is filled", async () => {
  const limits = { rows: 3, bytes: 100 };
  const rows = async function* () {
    yield* rowsOf([3]);
    limits.rows = 1;
    yield* rowsOf([3, 3]);
  };

  const batches = await Array.fromAsync(batchesOf(rows(), limits));

  expect(batches.map((batch) => batch.length)).toEqual([2, 1]);
});
