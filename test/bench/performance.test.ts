import { globSync, readFileSync } from "node:fs";
import { basename } from "node:path";
import { expect, test } from "vitest";
import { chart } from "../../tools/bench/chart.ts";
import { median, mediansOf, type Results, shareOfGoal, withValues } from "../../tools/bench/figure.ts";
import { BENCHMARKS, report } from "../../tools/bench/report.ts";

const read = (ending: string) => readFileSync(`docs/performance.${ending}`, "utf8");
const results = JSON.parse(readFileSync("tools/bench/performance.json", "utf8")) as Results;

test("docs/performance.md and its chart contain the recorded measurements", () => {
  expect(read("md") === report(results), "Run: npm run bench -- --report").toBe(true);
  expect(read("svg") === chart(results), "Run: npm run bench -- --report").toBe(true);
});

test("docs/performance.md lists every benchmark, recorded or not", () => {
  const files = globSync("tools/bench/benchmarks/*.ts").map((path) => basename(path, ".ts"));
  expect(BENCHMARKS.toSorted()).toEqual(files.toSorted());
  for (const recorded of [results, {}])
    for (const name of files) expect(report(recorded)).toContain(`npm run bench -- ${name}`);
});

test("a chart does not depend on the charts drawn before it", () => {
  expect(chart(results)).toBe(chart(results));
});

test.each([
  ["a value at most", { value: 5, goal: { atMost: 10 } }, 0.5],
  ["a value at least", { value: 5, goal: { atLeast: 10 } }, 2],
  ["a ratio at most", { value: 6, peer: { name: "peer", value: 2 }, goal: { atMost: 3 } }, 1],
  ["a ratio below one", { value: 1, peer: { name: "peer", value: 4 }, goal: { atMost: 0.5 } }, 0.5],
  [
    "a ratio, or so much more",
    { value: 150, peer: { name: "peer", value: 100 }, goal: { atMost: 2, orMoreBy: 200 } },
    0.5,
  ],
  [
    "so much more, or a ratio",
    { value: 500, peer: { name: "peer", value: 500 }, goal: { atMost: 2, orMoreBy: 200 } },
    0.5,
  ],
  ["no goal", { value: 6 }, undefined],
] as const)("a figure's share of its performance goal is computed for %s", (_what, figure, share) => {
  expect(shareOfGoal({ name: "figure", unit: "ms", ...figure })).toBe(share);
});

test("figures are recorded only if each of them, and each peer, has a value", () => {
  const figure = { name: "the last event's delay", unit: "ms", value: 1 } as const;
  const peer = (value: number) => ({ name: "alone", value });
  const recorded = [figure, { ...figure, peer: peer(2) }];
  expect(withValues(recorded)).toEqual(JSON.parse(JSON.stringify(recorded)));

  const message = 'There is no value of "the last event\'s delay".';
  for (const none of [Number.POSITIVE_INFINITY, Number.NaN]) {
    expect(() => withValues([figure, { ...figure, value: none }])).toThrow(message);
    expect(() => withValues([{ ...figure, peer: peer(none) }])).toThrow(message);
  }
});

test("figures of several runs become one with the medians of values and peers", () => {
  const figure = (value: number, alone: number) =>
    ({
      name: "beside",
      unit: "ms",
      value,
      peer: { name: "alone", value: alone },
      goal: { atMost: 2 },
    }) as const;

  const figures = mediansOf([[figure(9, 2)], [figure(1, 3)], [figure(4, 1)]]);

  expect(figures).toEqual([figure(4, 2)]);
});

test("the median is the middle value, or the mean of the two middle values", () => {
  expect(median([3, 1, 2])).toBe(2);
  expect(median([4, 1, 2, 3])).toBe(2.5);
});
