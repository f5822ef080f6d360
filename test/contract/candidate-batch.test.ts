import { expect, test } from "vitest";
import { CandidateBatch, externalIdOf } from "#contract/candidate-batch";
import { judge } from "./judge.ts";

test.each([1, 100])("a batch has %i rows of whatever form, each to be judged by itself", (count) => {
  const candidates = Array.from({ length: count }, () => "no candidate");

  expect(judge(CandidateBatch, { candidates })).toEqual({ value: { candidates } });
});

test.each([
  [{}, "candidates: an array of 1 to 100 items is required"],
  [{ candidates: [] }, "candidates: an array of 1 to 100 items is expected"],
  [{ candidates: Array(101).fill({}) }, "candidates: an array of 1 to 100 items is expected"],
  [{ candidates: [{}], rows: [] }, "rows: no member of this name is expected"],
])("a batch is refused with what is expected (%#)", (batch, message) => {
  expect(judge(CandidateBatch, batch)).toEqual({ message });
});

test.each([
  [{ externalId: "ext-1", firstName: 7 }, "ext-1"],
  [{ externalId: "" }, null],
  [{ externalId: 7 }, null],
  [{}, null],
  ["ext-1", null],
  [null, null],
])("the row %j is named by its externalId, if that is valid", (row, externalId) => {
  expect(externalIdOf(row)).toBe(externalId);
});
