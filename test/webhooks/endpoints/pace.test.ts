import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { type Pace, paceAfter, SLOW_AFTER } from "#webhooks/endpoints/pace";

const NOW = new Date("2026-06-10T00:30:00.000Z");

describe("the pace of an endpoint", () => {
  const FAST = SLOW_AFTER - 1;
  const ago = (ms: number) => new Date(NOW.getTime() - ms).toISOString();
  const minutesAgo = (minutes: number) => ago(minutes * 60_000);

  test.each<[string, Pace, number, Pace | undefined]>([
    ["is unchanged by a fast response", {}, FAST, undefined],
    ["is suspected after a response of a second", {}, SLOW_AFTER, { suspectedSince: NOW.toISOString() }],
    [
      "stays suspected for ten seconds of late responses",
      { suspectedSince: ago(9_999) },
      SLOW_AFTER,
      undefined,
    ],
    [
      "is slow if a response is still late after ten seconds",
      { suspectedSince: ago(10_000) },
      SLOW_AFTER,
      { slowSince: NOW.toISOString() },
    ],
    ["stays unproven while no response is fast", { unprovenSince: minutesAgo(5) }, SLOW_AFTER, undefined],
    ["is proven by the first fast response", { unprovenSince: minutesAgo(5) }, FAST, {}],
    [
      "is fast again with the first fast response of a suspected one",
      { suspectedSince: minutesAgo(0) },
      FAST,
      {},
    ],
    ["is unchanged by one more slow response", { slowSince: minutesAgo(5) }, SLOW_AFTER, undefined],
    [
      "counts the first fast response",
      { slowSince: minutesAgo(5) },
      FAST,
      { slowSince: minutesAgo(5), fastResponses: 1 },
    ],
    [
      "begins to count anew after a slow one",
      { slowSince: minutesAgo(30), fastResponses: 19 },
      SLOW_AFTER,
      { slowSince: minutesAgo(30) },
    ],
    [
      "is fast with the twentieth after ten minutes",
      { slowSince: minutesAgo(10), fastResponses: 19 },
      FAST,
      {},
    ],
    [
      "is not fast with the nineteenth",
      { slowSince: minutesAgo(10), fastResponses: 18 },
      FAST,
      { slowSince: minutesAgo(10), fastResponses: 19 },
    ],
    [
      "is not fast before ten minutes",
      { slowSince: minutesAgo(9.99), fastResponses: 19 },
      FAST,
      { slowSince: minutesAgo(9.99), fastResponses: 20 },
    ],
    [
      "is not written again while it waits for the ten minutes",
      { slowSince: minutesAgo(9.99), fastResponses: 20 },
      FAST,
      undefined,
    ],
    ["is fast as soon as they are over", { slowSince: minutesAgo(10), fastResponses: 20 }, FAST, {}],
  ])("%s", (_what, pace, durationMs, after) => {
    expect(paceAfter(pace, durationMs, NOW)).toEqual(after);
  });

  test("makes it slow at most six times an hour, whatever its responses", () => {
    fc.assert(
      fc.property(
        fc.array(fc.record({ waitMs: fc.nat(120_000), isSlow: fc.boolean() }), { maxLength: 400 }),
        (responses) => {
          let pace: Pace = {};
          let now = NOW.getTime();
          const slowed: number[] = [];
          for (const { waitMs, isSlow } of responses) {
            now += waitMs;
            const isWell = pace.slowSince === undefined && pace.suspectedSince === undefined;
            if (isWell && isSlow) {
              // From the delivery queue, its attempt is cut short.
              pace = { slowSince: new Date(now).toISOString() };
              slowed.push(now);
            } else {
              pace = paceAfter(pace, isSlow ? 3_000 : 10, new Date(now)) ?? pace;
            }
          }
          for (const [index, at] of slowed.entries()) {
            expect(
              slowed.slice(index).filter((other) => other < at + 60 * 60_000).length,
            ).toBeLessThanOrEqual(6);
          }
        },
      ),
      { numRuns: 300 },
    );
  });
});
