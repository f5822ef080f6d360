import { describe, expect, test } from "vitest";
import { evaluate, type MissingPoints, type Series } from "./metric-math.ts";

const _ = undefined;
const MISSING_POINTS: readonly MissingPoints[] = ["missing is zero", "missing is contagious"];

const evaluated = (
  expression: string,
  metrics: Readonly<Record<string, Series>>,
  missingPoints: MissingPoints = "missing is zero",
) => evaluate("result", { metrics, expressions: { result: expression } }, missingPoints);

describe("an expression of CloudWatch's manual has its documented result:", () => {
  test.each([
    ["metric1 < metric2", [0, 0, 1, 0]],
    ["metric1 >= 30", [1, 0, 0, 0]],
    ["metric1 > 15 AND metric2 > 15", [1, 0, 0, 0]],
  ])("%s", (expression, expected) => {
    const metrics = { metric1: [30, 20, 0, 0], metric2: [20, _, 20, _] };
    expect(evaluated(expression, metrics)).toEqual(expected);
  });

  test.each([
    ["IF(metric1, metric2, metric3)", [30, 0, 20, _, _]],
    ["IF(metric1, 5, metric3)", [5, 5, 20, _, _]],
    ["IF(metric1, metric2, 5)", [30, 0, 5, 5, _]],
    ["IF(metric1, metric2)", [30, 0, _, _, _]],
  ])("%s", (expression, expected) => {
    const metrics = { metric1: [1, 1, 0, 0, _], metric2: [30, _, 0, 0, 30], metric3: [0, 0, 20, _, 20] };
    for (const missingPoints of MISSING_POINTS)
      expect(evaluated(expression, metrics, missingPoints)).toEqual(expected);
  });

  test.each([
    ["SUM([metric1, metric2])", [40, 10, 5, _]],
    ["MAX([metric1, metric2])", [30, 10, 5, _]],
    ["metric1 / SUM(metric1) * 100", [75, 25, _, _]],
    ["FILL(metric2, 7)", [10, 7, 5, 7]],
    ["SUM(FILL([metric1, metric2], 1))", [40, 11, 6, 2]],
  ])("%s", (expression, expected) => {
    const metrics = { metric1: [30, 10, _, _], metric2: [10, _, 5, _] };
    expect(evaluated(expression, metrics)).toEqual(expected);
  });
});

test("where one of two added series has no point, the sum is the other's point or missing, unless FILL adds one", () => {
  const metrics = { a: [1, 1, _], b: [2, _, _] };
  expect(evaluated("a + b", metrics, "missing is zero")).toEqual([3, 1, _]);
  expect(evaluated("a + b", metrics, "missing is contagious")).toEqual([3, _, _]);
  for (const missingPoints of MISSING_POINTS) {
    expect(evaluated("FILL(a, 0) + FILL(b, 0)", metrics, missingPoints)).toEqual([3, 1, 0]);
  }
});

test("a point that is divided by zero is missing", () => {
  expect(evaluated("a / b", { a: [1, 0, 6], b: [0, 0, 3] })).toEqual([_, _, 2]);
});

test("products are calculated before sums, comparisons and AND, and equal operators from left to right", () => {
  const metrics = { a: [2] };
  expect(evaluated("a + 2 * 3 - 1", metrics)).toEqual([7]);
  expect(evaluated("12 / a / 3", metrics)).toEqual([2]);
  expect(evaluated("a + 1 > 2 && a * 2 < 5", metrics)).toEqual([1]);
  expect(evaluated("(a + 2) * 3", metrics)).toEqual([12]);
});

test("an expression uses the result of another by its id", () => {
  const queries = { metrics: { a: [1], b: [2] }, expressions: { sum: "a + b", twice: "2 * sum" } };
  expect(evaluate("twice", queries, "missing is zero")).toEqual([6]);
});

test.each([
  ["the maximum of an array with a number in it, as live accounts do", "100 * a / MAX([b, 1])"],
  ["the sum of an array with a number in it", "SUM([a, 1])"],
  ["the maximum of two series that are not an array", "MAX(a, b)"],
  ["a result that is one number", "SUM(a)"],
  ["a result that is an array", "[a, b]"],
  ["a comparison of an array", "[a, b] > 1"],
  ["FILL of a number", "FILL(1, 0)"],
  ["FILL without a value to fill in", "FILL(a)"],
  ["IF of numbers alone", "IF(1 > 0, 1, 0)"],
  ["IF without a value", "IF(a)"],
  ["an unknown id", "a + c"],
  ["an id that begins with a capital", "A + b"],
  ["a function in lower case", "fill(a, 0)"],
  ["an unknown function", "COALESCE(a, 0)"],
  ["an unclosed bracket", "(a + b"],
  ["a bracket that closes nothing", "a + b)"],
  ["two series without an operator", "a b"],
  ["an empty expression", ""],
])("metric math refuses %s: %s", (_what, expression) => {
  expect(() => evaluated(expression, { a: [1], b: [2] })).toThrow();
});
