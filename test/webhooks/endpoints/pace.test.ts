import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { type Lane, laneOf } from "#webhooks/endpoints/lane";
import {
  LATE_AFTER_MS,
  type Pace,
  paceAfter,
  paceAfterCut,
  paceAfterLateFailure,
} from "#webhooks/endpoints/pace";

const NOW = new Date("2026-06-10T00:30:00.000Z");

describe("the pace of an endpoint", () => {
  const FAST = LATE_AFTER_MS - 1;
  const ago = (ms: number) => new Date(NOW.getTime() - ms).toISOString();
  const minutesAgo = (minutes: number) => ago(minutes * 60_000);
  const secondsAgo = (seconds: number) => ago(seconds * 1_000);

  test.each<[string, Pace, number, Pace | undefined]>([
    ["is unchanged by a fast response", {}, FAST, undefined],
    ["is suspected after a response of a second", {}, LATE_AFTER_MS, { suspectedSince: NOW.toISOString() }],
    [
      "stays suspected for ten seconds of late responses",
      { suspectedSince: ago(9_999) },
      LATE_AFTER_MS,
      undefined,
    ],
    [
      "is slow if a response is still late after ten seconds",
      { suspectedSince: ago(10_000) },
      LATE_AFTER_MS,
      { slowSince: NOW.toISOString() },
    ],
    [
      "is suspected instead of unproven after a late response",
      { unprovenSince: minutesAgo(5) },
      LATE_AFTER_MS,
      { suspectedSince: NOW.toISOString() },
    ],
    ["is proven by the first fast response", { unprovenSince: minutesAgo(5) }, FAST, {}],
    [
      "is fast again with the first fast response of a suspected one",
      { suspectedSince: minutesAgo(0) },
      FAST,
      {},
    ],
    ["is unchanged by one more slow response", { slowSince: minutesAgo(5) }, LATE_AFTER_MS, undefined],
    [
      "counts the first fast response",
      { slowSince: minutesAgo(5) },
      FAST,
      { slowSince: minutesAgo(5), fastResponses: 1 },
    ],
    [
      "begins to count anew after a slow one",
      { slowSince: minutesAgo(30), fastResponses: 19 },
      LATE_AFTER_MS,
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
    [
      "counts the fast responses of an endpoint on probation",
      { probationSince: minutesAgo(5), fastResponses: 7 },
      FAST,
      { probationSince: minutesAgo(5), fastResponses: 8 },
    ],
    [
      "is fast after twenty of them and ten minutes",
      { probationSince: minutesAgo(10), fastResponses: 19 },
      FAST,
      {},
    ],
    [
      "stays on probation after one late response among fast ones, and is suspected",
      { probationSince: minutesAgo(5), fastResponses: 7 },
      LATE_AFTER_MS,
      { probationSince: minutesAgo(5), suspectedSince: NOW.toISOString() },
    ],
    [
      "stays on probation if another one is late within ten seconds",
      { probationSince: minutesAgo(5), suspectedSince: ago(9_999) },
      LATE_AFTER_MS,
      undefined,
    ],
    [
      "is slow if another one is late after ten seconds",
      { probationSince: minutesAgo(5), suspectedSince: ago(10_000) },
      LATE_AFTER_MS,
      { slowSince: NOW.toISOString() },
    ],
    [
      "is no longer suspected after a fast response on probation",
      { probationSince: minutesAgo(5), suspectedSince: ago(10_000) },
      FAST,
      { probationSince: minutesAgo(5), fastResponses: 1 },
    ],
    [
      "stays on probation for ten seconds of late responses",
      { probationSince: ago(9_999) },
      LATE_AFTER_MS,
      undefined,
    ],
    [
      "is slow if the responses of an endpoint on probation are still late after ten seconds",
      { probationSince: ago(10_000) },
      LATE_AFTER_MS,
      { slowSince: NOW.toISOString() },
    ],
    [
      "is suspected anew after a late response from a new address of a suspected one",
      { suspectedSince: minutesAgo(5), unprovenSince: minutesAgo(1) },
      LATE_AFTER_MS,
      { suspectedSince: NOW.toISOString() },
    ],
    [
      "is not slow because of a late response from a new address of an endpoint on probation",
      { probationSince: minutesAgo(5), unprovenSince: minutesAgo(1) },
      LATE_AFTER_MS,
      { probationSince: minutesAgo(5), suspectedSince: NOW.toISOString() },
    ],
    [
      "is suspected instead of unproven, and still on probation, after a late response from a new address",
      { probationSince: minutesAgo(5), unprovenSince: minutesAgo(1), fastResponses: 7 },
      LATE_AFTER_MS,
      { probationSince: minutesAgo(5), suspectedSince: NOW.toISOString() },
    ],
    [
      "is proven, and still on probation, with the first fast response from there",
      { probationSince: minutesAgo(5), unprovenSince: minutesAgo(1) },
      FAST,
      { probationSince: minutesAgo(5), fastResponses: 1 },
    ],
    [
      "is slow if a new one is late after ten seconds of late failures",
      { unprovenSince: secondsAgo(20), suspectedSince: secondsAgo(10) },
      LATE_AFTER_MS,
      { slowSince: NOW.toISOString() },
    ],
    [
      "stays unproven if a new one is late within ten seconds of a late failure",
      { unprovenSince: secondsAgo(20), suspectedSince: secondsAgo(9) },
      LATE_AFTER_MS,
      undefined,
    ],
    [
      "is suspected if an attempt at a former address was cut after the address was changed",
      { unprovenSince: secondsAgo(20), probationSince: secondsAgo(10) },
      LATE_AFTER_MS,
      { probationSince: secondsAgo(10), suspectedSince: NOW.toISOString() },
    ],
  ])("%s", (_what, pace, durationMs, after) => {
    expect(paceAfter(pace, durationMs, NOW)).toEqual(after);
  });

  test.each<[string, Pace, Pace | undefined]>([
    ["is suspected at first", {}, { suspectedSince: NOW.toISOString() }],
    ["stays suspected for ten seconds", { suspectedSince: secondsAgo(9.999) }, undefined],
    ["is slow after that", { suspectedSince: secondsAgo(10) }, { slowSince: NOW.toISOString() }],
    [
      "stays unproven when it is slow",
      { unprovenSince: secondsAgo(20), suspectedSince: secondsAgo(10) },
      { unprovenSince: secondsAgo(20), slowSince: NOW.toISOString() },
    ],
    [
      "is suspected anew at a new address",
      { unprovenSince: secondsAgo(5), suspectedSince: secondsAgo(60) },
      { unprovenSince: secondsAgo(5), suspectedSince: NOW.toISOString() },
    ],
    [
      "is slow on probation, ten seconds after it began",
      { probationSince: secondsAgo(10) },
      { slowSince: NOW.toISOString() },
    ],
    ["is not slow on probation before that", { probationSince: secondsAgo(9) }, undefined],
    [
      "is suspected at first if it has responded fast on probation",
      { probationSince: secondsAgo(60), fastResponses: 3 },
      { probationSince: secondsAgo(60), suspectedSince: NOW.toISOString() },
    ],
    [
      "stays slow, with the fast responses that it has had",
      { slowSince: secondsAgo(60), fastResponses: 3 },
      undefined,
    ],
  ])("that fails late %s", (_what, pace, after) => {
    expect(paceAfterLateFailure(pace, NOW)).toEqual(after);
  });

  test("has at most six cut attempts an hour from the delivery queue and six from the side queue", () => {
    const some = (durationMs: number) =>
      fc.record({
        durationMs: fc.constant(durationMs),
        count: fc.integer({ min: 1, max: 30 }),
        waitMs: fc.nat(60_000),
      });
    const runs = fc.array(fc.oneof(some(10), some(1_500), some(3_000)), { maxLength: 60 });
    let backInDeliveryQueue = 0;
    fc.assert(
      fc.property(runs, (story) => {
        let pace: Pace = {};
        let now = NOW.getTime();
        const cuts: { readonly lane: Lane; readonly at: number }[] = [];
        for (const { durationMs, count, waitMs } of story) {
          for (let response = 0; response < count; response++) {
            now += waitMs;
            const lane = laneOf({ ...pace });
            if (lane === "delivery" && cuts.length > 0) backInDeliveryQueue += 1;
            const isCut = durationMs >= 2_000 && lane !== "retry";
            if (isCut) cuts.push({ lane, at: now });
            pace = isCut
              ? paceAfterCut(lane, new Date(now))
              : (paceAfter(pace, durationMs, new Date(now)) ?? pace);
          }
        }
        for (const { lane, at } of cuts) {
          const within = cuts.filter((cut) => cut.lane === lane && cut.at >= at && cut.at < at + 60 * 60_000);
          expect(within.length).toBeLessThanOrEqual(6);
        }
      }),
      { numRuns: 300 },
    );
    expect(backInDeliveryQueue).toBeGreaterThan(0);
  });
});
