import { readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { chart } from "../../tools/bench/chart.ts";
import { median, type Results, shareOfGoal } from "../../tools/bench/figure.ts";
import { report } from "../../tools/bench/report.ts";

const read = (ending: string) => readFileSync(`docs/performance.${ending}`, "utf8");
const results = JSON.parse(read("json")) as Results;

test("docs/performance.md and its chart contain the recorded measurements", () => {
  expect(read("md") === report(results), "Run: npm run bench -- --report").toBe(true);
  expect(read("svg") === chart(results), "Run: npm run bench -- --report").toBe(true);
});

test("a chart does not depend on the charts drawn before it", () => {
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
] as const)("a figure's share of its performance goal is computed for %s", (_what, figure, share) => {
  expect(shareOfGoal({ name: "figure", unit: "ms", ...figure })).toBe(share);
});

test("the median is the middle value, or the mean of the two middle values", () => {
  expect(median([3, 1, 2])).toBe(2);
  expect(median([4, 1, 2, 3])).toBe(2.5);
});
