import fc from "fast-check";
import { describe, expect, test } from "vitest";
import {
  type EndpointHealth,
  failureCounterOf,
  failureCounters,
  isCounted,
  isNoticeDue,
  keepsFailing,
  outdatedFailureCounters,
} from "#webhooks/endpoints/endpoint-health";

const DAY = 24 * 60 * 60 * 1000;
const NOW = new Date("2026-06-10T00:30:00.000Z");

const daysAgo = (days: number) => new Date(NOW.getTime() - days * DAY);

/** An endpoint that has failed for so many days; the numbers are failures of today, yesterday and so on. */
function failing(days: number, ...failures: readonly number[]): EndpointHealth {
  const counters = failures.map((failed, back) => [failureCounterOf(daysAgo(back)), failed] as const);
  return {
    ...Object.fromEntries(counters.filter(([, failed]) => failed > 0)),
    failingSince: daysAgo(days).toISOString(),
  };
}

describe("a failing webhook endpoint is set inactive", () => {
  test.each([
    ["ten failures on three days, five days after the first", failing(5, 4, 3, 3)],
    ["a failure on each day and more", failing(5, 2, 2, 2, 2, 1, 1)],
    ["thousands", failing(30, 1_000, 1_000, 1_000)],
    ["failures that began with the period", failing(5, 1, 0, 1, 0, 0, 8)],
  ])("after %s", (_what, health) => {
    expect(keepsFailing(health, NOW, "standard")).toBe(true);
  });

  test.each([
    ["nothing failed", {}],
    ["it has taken something less than five days ago", failing(4.999, 4, 4, 4)],
    ["nine attempts failed", failing(5, 3, 3, 3)],
    ["they failed on two days", failing(5, 500, 500)],
    ["all but one failed before these five days", failing(9, 1, 0, 0, 0, 0, 0, 9, 9, 9)],
    ["a success ended the failures, and none came since", { [failureCounterOf(NOW)]: 50 }],
  ])("but not while %s", (_what, health) => {
    expect(keepsFailing(health, NOW, "standard")).toBe(false);
  });

  test("exactly by the rule: five days, ten attempts, three days", () => {
    fc.assert(
      fc.property(
        fc.double({ min: 0, max: 20, noNaN: true }),
        fc.array(fc.nat(6), { minLength: 6, maxLength: 6 }),
        (days, failures) => {
          const attempts = failures.reduce((sum, failed) => sum + failed, 0);
          const onDays = failures.filter((failed) => failed > 0).length;
          expect(keepsFailing(failing(days, ...failures), NOW, "standard")).toBe(
            NOW.getTime() - Math.trunc(NOW.getTime() - days * DAY) >= 5 * DAY &&
              attempts >= 10 &&
              onDays >= 3,
          );
        },
      ),
    );
  });
});

test("a webhook endpoint that is practised with is set inactive after ten failures in 90 s", () => {
  const failingFor = (ms: number, failures: number): EndpointHealth => ({
    ...failing(0, failures),
    failingSince: new Date(NOW.getTime() - ms).toISOString(),
  });

  expect(keepsFailing(failingFor(90_000, 10), NOW, "practice")).toBe(true);
  expect(keepsFailing(failingFor(89_999, 10), NOW, "practice")).toBe(false);
  expect(keepsFailing(failingFor(90_000, 9), NOW, "practice")).toBe(false);
});

test("failure counters cover UTC days: today and the five days before", () => {
  expect(failureCounters(NOW)).toEqual([
    "failuresOn20260610",
    "failuresOn20260609",
    "failuresOn20260608",
    "failuresOn20260607",
    "failuresOn20260606",
    "failuresOn20260605",
  ]);
});

test("only failure counters of earlier days are outdated", () => {
  const item = { ...failing(9, 1, 1, 0, 0, 0, 1, 1, 1), url: "https://x", failuresOnce: 1 };

  expect(outdatedFailureCounters(item, NOW)).toEqual(["failuresOn20260604", "failuresOn20260603"]);
});

test.each([
  [9, false],
  [10, true],
  [11, true],
])("after %i failures today the next is not counted: %s", (failed, counted) => {
  expect(isCounted(failing(1, failed), NOW)).toBe(counted);
  expect(isCounted({ [failureCounterOf(NOW)]: failed }, NOW)).toBe(false);
});

describe("a notice about a failing webhook endpoint is due", () => {
  const secondsAgo = (seconds: number) => new Date(NOW.getTime() - seconds * 1_000).toISOString();

  test.each([
    ["a day after its failures began", { failingSince: secondsAgo(86_400) }, "standard", true],
    ["not a moment earlier", { failingSince: secondsAgo(86_399) }, "standard", false],
    ["after 20 s if it is practised with", { failingSince: secondsAgo(20) }, "practice", true],
    ["not before these 20 s", { failingSince: secondsAgo(19) }, "practice", false],
    ["once", { failingSince: secondsAgo(90_000), failingNoticeAt: secondsAgo(3_600) }, "standard", false],
    ["not while nothing fails", {}, "standard", false],
  ] as const)("%s", (_what, health, schedule, isDue) => {
    expect(isNoticeDue(health, NOW, schedule)).toBe(isDue);
  });
});
