import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { nextAttemptIn, parseRetryAfter } from "#webhooks/delivery/retry-schedule";

const SECOND = 1_000;
const HOUR = 3_600 * SECOND;
const DAY = 24 * HOUR;

/** The decided waits after the attempts that fail, in seconds: nine attempts, so eight waits. */
const WAITS = [5, 60, 300, 1_800, 7_200, 18_000, 36_000, 36_000].map((seconds) => seconds * SECOND);
const attempts = WAITS.map((wait, index) => [index + 1, wait] as const);

/** What `Math.random` may give: 0 included, 1 not. */
const random = fc.double({ min: 0, max: 1, maxExcluded: true, noNaN: true });

describe("after an attempt that failed", () => {
  test.each(attempts)("number %i, the next follows in %i ms, give or take a fifth", (attempt, wait) => {
    fc.assert(
      fc.property(random, (share) => {
        const next = nextAttemptIn(attempt, undefined, share);
        expect(next).toBeGreaterThanOrEqual(wait * 0.8);
        expect(next).toBeLessThanOrEqual(wait * 1.2);
      }),
    );
  });

  test.each(attempts)(
    "number %i, chance spreads the next over the whole range around %i ms",
    (attempt, wait) => {
      expect(nextAttemptIn(attempt, undefined, 0)).toBeCloseTo(wait * 0.8, 0);
      expect(nextAttemptIn(attempt, undefined, 0.5)).toBeCloseTo(wait, 0);
      expect(nextAttemptIn(attempt, undefined, 1 - Number.EPSILON)).toBeCloseTo(wait * 1.2, 0);
    },
  );

  test("takes its own chance when it is given none", () => {
    expect(new Set(Array.from({ length: 50 }, () => nextAttemptIn(8))).size).toBeGreaterThan(1);
  });

  test.each([9, 10, 1_000])("number %i, none follows, whatever the receiver asks", (attempt) => {
    expect(nextAttemptIn(attempt, undefined, 0.5)).toBeUndefined();
    expect(nextAttemptIn(attempt, HOUR, 0.5)).toBeUndefined();
  });

  test("the attempts end after some 28 hours", () => {
    const total = attempts.reduce((sum, [attempt]) => sum + (nextAttemptIn(attempt, undefined, 0.5) ?? 0), 0);

    expect(total / HOUR).toBeCloseTo(27.6, 1);
  });
});

describe("a receiver that asks to wait", () => {
  test("is given at least what it asks, at most 24 hours, and never less than the schedule", () => {
    fc.assert(
      fc.property(
        fc.constantFrom(...attempts),
        fc.double({ min: 0, max: 1e15, noNaN: true }),
        random,
        ([attempt, wait], asked, share) => {
          const next = nextAttemptIn(attempt, asked, share) ?? -1;
          expect(next).toBeGreaterThanOrEqual(Math.min(asked, DAY));
          expect(next).toBeGreaterThanOrEqual(wait * 0.8 - 1);
          expect(next).toBeLessThanOrEqual(Math.max(wait * 1.2 + 1, Math.min(asked, DAY)));
        },
      ),
    );
  });

  test("for eternity is given 24 hours", () => {
    expect(nextAttemptIn(1, Number.POSITIVE_INFINITY, 0.5)).toBe(DAY);
  });
});

describe("Retry-After", () => {
  const now = new Date("2026-06-01T12:00:00.000Z");

  test.each([
    ["0", 0],
    ["1", 1 * SECOND],
    ["120", 120 * SECOND],
    ["86400", DAY],
    ["0005", 5 * SECOND],
  ])("of %s seconds", (header, expected) => {
    expect(parseRetryAfter(header, now)).toBe(expected);
  });

  test.each([
    ["IMF-fixdate", "Mon, 01 Jun 2026 12:00:30 GMT", 30 * SECOND],
    ["RFC 850", "Monday, 01-Jun-26 12:00:30 GMT", 30 * SECOND],
    ["asctime", "Mon Jun  1 12:00:30 2026", 30 * SECOND],
    ["in the past", "Mon, 01 Jun 2026 11:00:00 GMT", 0],
    ["now", "Mon, 01 Jun 2026 12:00:00 GMT", 0],
  ])("as a date, %s", (_form, header, expected) => {
    expect(parseRetryAfter(header, now)).toBe(expected);
  });

  test("of more digits than a number holds is a long wait, not a fault", () => {
    const asked = parseRetryAfter("9".repeat(400), now);

    expect(nextAttemptIn(1, asked, 0.5)).toBe(DAY);
  });

  test.each([undefined, "", " ", "soon", "tomorrow", "1e9", "0x10", "NaN", "Infinity", "😀", "\u0000"])(
    "that is %j asks for nothing",
    (header) => {
      expect(parseRetryAfter(header, now)).toBeUndefined();
    },
  );

  test.each(["Mon, 01 Jun 2026 12:00:30 GMT", "Monday, 01-Jun-26 12:00:30 GMT", "Mon Jun  1 12:00:30 2026"])(
    "that is more than a date asks for nothing: %s",
    (date) => {
      expect(parseRetryAfter(date, now)).toBe(30 * SECOND);
      expect(parseRetryAfter(`on ${date}`, now)).toBeUndefined();
      expect(parseRetryAfter(`${date} `, now)).toBeUndefined();
    },
  );

  // RFC 9110 section 10.2.3 knows whole seconds and an HTTP date (section 5.6.7), and nothing else.
  test.each([
    "try again in 2050",
    "Jan 2099",
    "wait 2050",
    "2099-01-01",
    "01/01/2099",
    "Mon Jun -1 12:00:30 2099",
  ])(
    "that is neither seconds nor an HTTP date, %s, does not hold the next attempt back for a day",
    (header) => {
      expect(nextAttemptIn(1, parseRetryAfter(header, now), 0.5)).toBe(5 * SECOND);
    },
  );

  test("of anything at all never throws nor asks for less than nothing", () => {
    fc.assert(
      fc.property(fc.string({ unit: "binary" }), (header) => {
        expect(parseRetryAfter(header, now) ?? 0).toBeGreaterThanOrEqual(0);
      }),
    );
  });
});
