import { readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { chart } from "../../tools/bench/chart.ts";
import { median, type Results, shareOfGoal } from "../../tools/bench/figure.ts";
import { report } from "../../tools/bench/report.ts";

const read = (ending: string) => readFileSync(`docs/performance.${ending}`, "utf8");
const results = JSON.parse(read("json")) as Results;

test("docs/performance.md and its chart tell what was measured", () => {
  expect(read("md") === report(results), "Run: npm run bench -- --report").toBe(true);
  expect(read("svg") === chart(results), "Run: npm run bench -- --report").toBe(true);
});

test("a chart is the same however many were drawn before it", () => {
  expect(chart(results)).toBe(chart(results));
});

test.each([
  ["a value at most", { value: 5, goal: { atMost: 10 } }, 0.5],
  ["a value at least", { value: 5, goal: { atLeast: 10 } }, 2],
  ["a ratio at most", { value: 6, peer: { name: "peer", value: 2 }, goal: { atMost: 3 } }, 1],
  [
    "a value beside its peer",
    { value: 6, peer: { name: "peer", value: 2 }, goal: { atMost: 3, ofValue: true } },
    2,
  ],
  ["no goal", { value: 6 }, undefined],
] as const)("a figure takes a share of its goal: %s", (_what, figure, share) => {
  expect(shareOfGoal({ name: "figure", unit: "ms", ...figure })).toBe(share);
});

test("the median is the one in the middle, or between the two", () => {
  expect(median([3, 1, 2])).toBe(2);
  expect(median([4, 1, 2, 3])).toBe(2.5);
});
