import { expect, test } from "vitest";
import { SeenIdentifiers } from "../../../client/push/seen-identifiers.ts";

test("identifiers are remembered with the first row that has them, while the table grows", () => {
  const seen = new SeenIdentifiers();
  const count = 20_000;
  const rows = Array.from({ length: count }, (_, at) => at + 1);

  expect(rows.map((row) => seen.firstRowOf(`ext-${row}`, row))).toEqual(rows);
  expect(rows.map((row) => seen.firstRowOf(`ext-${row}`, count + row))).toEqual(rows);
  expect(seen.size).toBe(count);
  expect(seen.isFull).toBe(false);
});

test("memory is bounded: beyond three quarters of the table, identifiers are compared and not remembered", () => {
  const seen = new SeenIdentifiers(8192);
  const bound = 6144;
  for (let row = 1; row <= bound; row += 1) seen.firstRowOf(String(row), row);
  expect(seen.isFull).toBe(false);

  expect(seen.firstRowOf("one more", bound + 1)).toBe(bound + 1);
  expect(seen.firstRowOf("one more", bound + 2)).toBe(bound + 2);
  expect(seen.firstRowOf("7", bound + 3)).toBe(7);
  expect({ size: seen.size, isFull: seen.isFull }).toEqual({ size: bound, isFull: true });
});

test.each([
  ["ext-1", "EXT-1"],
  ["ext-1", "ext-1 "],
  // The first four bytes of their SHA-256 are the same.
  ["ext-49489", "ext-97339"],
])("the identifiers %j and %j are different", (one, other) => {
  const seen = new SeenIdentifiers();

  expect([seen.firstRowOf(one, 1), seen.firstRowOf(other, 2)]).toEqual([1, 2]);
});
