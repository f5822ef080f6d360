import { describe, expect, test } from "vitest";
import { RecentRate } from "../../../client/push/recent-rate.ts";

/** A rate, by the time in seconds and the share that is done. */
type Profile = (seconds: number, share: number) => number;

const TOTAL = 100_000;
/** The rows of a batch. */
const BATCH = 100;
/** How often the time left is shown on a terminal, in seconds. */
const INTERVAL = 0.2;

/** How many times too long the time left is that is estimated, at each moment of a run. */
function estimatesOf(
  profile: Profile,
  ratesOf: () => (count: number, seconds: number) => number,
  rowsAtOnce = BATCH,
) {
  const moments: { count: number; seconds: number }[] = [];
  let done = 0;
  for (let tick = 1; done < TOTAL; tick += 1) {
    done += profile(tick * INTERVAL, done / TOTAL) * INTERVAL;
    const count = Math.min(TOTAL, Math.floor(done / rowsAtOnce) * rowsAtOnce);
    moments.push({ count, seconds: tick * INTERVAL });
  }
  const duration = moments.length * INTERVAL;
  const rate = ratesOf();
  const estimates = moments.map(({ count, seconds }) => ({
    at: seconds / duration,
    ratio: (TOTAL - count) / rate(count, seconds) / (duration - seconds),
  }));
  return {
    between: (from: number, to: number) =>
      estimates.filter(({ at }) => at >= from && at < to).map(({ ratio }) => ratio),
  };
}

const recent = () => {
  const rate = new RecentRate();
  return (count: number, seconds: number) => rate.at(count, seconds);
};
const sinceTheBeginning = () => (count: number, seconds: number) => count / seconds;

/** How far estimates are off on average, whether too long or too short: 1 is exact. */
function errorOf(ratios: readonly number[]): number {
  const sum = ratios.reduce((total, ratio) => total + Math.abs(Math.log(ratio)), 0);
  return Math.exp(sum / ratios.length);
}

const slowStart: Profile = (seconds) => Math.min(500, 100 + 20 * seconds);
const uneven: Profile = (seconds) => 500 * (0.3 + 1.4 * Math.abs(Math.sin(seconds * 1.7)));

describe("the time left of a push", () => {
  test.each<[string, Profile]>([
    ["at a steady rate", () => 500],
    ["at an uneven rate", uneven],
    ["that starts slowly for a tenth of its time", slowStart],
  ])("%s is right within a quarter from the second quarter on", (_, profile) => {
    const ratios = estimatesOf(profile, recent).between(0.25, 0.95);

    expect(Math.max(...ratios)).toBeLessThan(1.25);
    expect(Math.min(...ratios)).toBeGreaterThan(0.8);
  });

  test("of which four slow batches end together is right within a quarter from the second quarter on", () => {
    // Of a run of twenty times four batches.
    const ratios = estimatesOf(() => 500, recent, TOTAL / 20).between(0.25, 0.75);

    expect(Math.max(...ratios)).toBeLessThan(1.25);
    expect(Math.min(...ratios)).toBeGreaterThan(0.8);
  });

  test.each<[string, Profile]>([
    ["starts slowly", slowStart],
    ["becomes slower", (_, share) => 800 - 600 * share],
    ["becomes faster", (_, share) => 200 + 600 * share],
  ])("that %s is nearer than by the rate since the beginning", (_, profile) => {
    const [now, before] = [recent, sinceTheBeginning].map((rates) =>
      errorOf(estimatesOf(profile, rates).between(0.05, 0.95)),
    ) as [number, number];

    expect(now - 1).toBeLessThan(0.75 * (before - 1));
  });

  test("that is throttled in the middle is right again within half of it in the last quarter", () => {
    const throttled: Profile = (_, share) => (share > 0.4 && share < 0.6 ? 250 : 500);
    const ratios = estimatesOf(throttled, recent).between(0.75, 0.95);

    expect(Math.max(...ratios)).toBeLessThan(1.5);
  });
});
