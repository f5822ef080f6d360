import { expect, test } from "vitest";
import { SeenIdentifiers } from "../../../client/push/seen-identifiers.ts";

test("identifiers are remembered with the first row that has them, while the table grows", () => {
  const seen = new SeenIdentifiers();
  const count = 20_000;
  for (let row = 1; row <= count; row += 1) expect(seen.firstRowOf(`ext-${row}`, row)).toBe(row);

  for (let row = 1; row <= count; row += 1) expect(seen.firstRowOf(`ext-${row}`, count + row)).toBe(row);
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
