import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { nextAttemptIn } from "#webhooks/delivery/retry-schedule";

const SECOND = 1_000;
const HOUR = 3_600 * SECOND;
const DAY = 24 * HOUR;

/** The decided waits after the attempts that fail, in seconds: eleven attempts, so ten waits. */
const WAITS = [5, 60, 300, 1_800, 7_200, 18_000, 36_000, 50_400, 72_000, 86_400].map(
  (seconds) => seconds * SECOND,
);
const attempts = WAITS.map((wait, index) => [index + 1, wait] as const);

/** What `Math.random` may give: 0 included, 1 not. */
const random = fc.double({ min: 0, max: 1, maxExcluded: true, noNaN: true });

describe("after a failed delivery attempt,", () => {
  test("the wait is rounded to the nearest second", () => {
    expect(nextAttemptIn("standard", 1, undefined, 0.2)).toBe(4 * SECOND);
    expect(nextAttemptIn("standard", 1, undefined, 0.9)).toBe(6 * SECOND);
  });

  test.each(attempts)("number %i, the retry follows in %i ms with a jitter of a fifth", (attempt, wait) => {
    fc.assert(
      fc.property(random, (share) => {
        const next = nextAttemptIn("standard", attempt, undefined, share);
        expect(next).toBeGreaterThanOrEqual(wait * 0.8);
        expect(next).toBeLessThanOrEqual(wait * 1.2);
        // SQS delays a message by whole seconds.
        expect(Number(next) % SECOND).toBe(0);
      }),
    );
  });

  test.each(attempts)("number %i, the jitter covers the whole range around %i ms", (attempt, wait) => {
    expect(nextAttemptIn("standard", attempt, undefined, 0)).toBeCloseTo(wait * 0.8, 0);
    expect(nextAttemptIn("standard", attempt, undefined, 0.5)).toBeCloseTo(wait, 0);
    expect(nextAttemptIn("standard", attempt, undefined, 1 - Number.EPSILON)).toBeCloseTo(wait * 1.2, 0);
  });

  test.each([11, 12, 1_000])("number %i, no retry follows, whatever the receiver asks", (attempt) => {
    expect(nextAttemptIn("standard", attempt, undefined, 0.5)).toBeUndefined();
    expect(nextAttemptIn("standard", attempt, HOUR, 0.5)).toBeUndefined();
  });

  test("the retries end after about 76 hours", () => {
    const total = attempts.reduce(
      (sum, [attempt]) => sum + (nextAttemptIn("standard", attempt, undefined, 0.5) ?? 0),
      0,
    );

    expect(total / HOUR).toBeCloseTo(75.6, 1);
  });
});

describe("the practice schedule", () => {
  test("has as many attempts as the standard one, in about a minute, each later than the one before", () => {
    const waits = attempts.map(([attempt]) => nextAttemptIn("practice", attempt, undefined, 0.5) ?? 0);

    expect(waits.reduce((sum, wait) => sum + wait)).toBe(66 * SECOND);
    expect(waits).toEqual(waits.toSorted((left, right) => left - right));
    expect(nextAttemptIn("practice", 11, HOUR, 0.5)).toBeUndefined();
  });
});

describe("a receiver that asks to wait", () => {
  test("gets at least the time asked for, at most 24 hours, and never less than the schedule's", () => {
    fc.assert(
      fc.property(
        fc.constantFrom(...attempts),
        fc.double({ min: 0, max: 1e15, noNaN: true }),
        random,
        ([attempt, wait], asked, share) => {
          const next = nextAttemptIn("standard", attempt, asked, share) ?? -1;
          expect(next).toBeGreaterThanOrEqual(Math.min(asked, DAY));
          expect(next).toBeGreaterThanOrEqual(wait * 0.8 - 1);
          expect(next).toBeLessThanOrEqual(Math.max(wait * 1.2 + 1, Math.min(asked, DAY)));
        },
      ),
    );
  });

  test("for an endless time gets 24 hours", () => {
    expect(nextAttemptIn("standard", 1, Number.POSITIVE_INFINITY, 0.5)).toBe(DAY);
  });
});
