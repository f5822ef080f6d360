import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { parseRetryAfter } from "#webhooks/delivery/retry-after";

import { nextAttemptIn } from "#webhooks/delivery/retry-schedule";
import { anyText } from "../../builders/any-text.ts";

const SECOND = 1_000;
const DAY = 24 * 3_600 * SECOND;

describe("Retry-After", () => {
  const now = new Date("2026-06-01T12:00:00.000Z");

  test.each([
    ["0", 0],
    ["1", 1 * SECOND],
    ["120", 120 * SECOND],
    ["86400", DAY],
    ["0005", 5 * SECOND],
  ])("of %s seconds is parsed", (header, expected) => {
    expect(parseRetryAfter(header, now)).toBe(expected);
  });

  test.each([
    ["IMF-fixdate", "Mon, 01 Jun 2026 12:00:30 GMT", 30 * SECOND],
    ["RFC 850", "Monday, 01-Jun-26 12:00:30 GMT", 30 * SECOND],
    ["asctime", "Mon Jun  1 12:00:30 2026", 30 * SECOND],
    ["in the past", "Mon, 01 Jun 2026 11:00:00 GMT", 0],
    ["now", "Mon, 01 Jun 2026 12:00:00 GMT", 0],
  ])("as the date %s is parsed", (_form, header, expected) => {
    expect(parseRetryAfter(header, now)).toBe(expected);
  });

  test.each(["30 ", "30 \t", "Mon, 01 Jun 2026 12:00:30 GMT "])(
    "with spaces at its end is parsed: %j",
    (header) => {
      expect(parseRetryAfter(header, now)).toBe(30 * SECOND);
    },
  );

  test("of more digits than a number can have is a long wait, not an error", () => {
    const asked = parseRetryAfter("9".repeat(400), now);

    expect(nextAttemptIn("standard", 1, asked, 0.5)).toBe(DAY);
  });

  test.each([undefined, "", " ", "soon", "tomorrow", "1e9", "0x10", "NaN", "Infinity", "😀", "\u0000"])(
    "that is %j is ignored",
    (header) => {
      expect(parseRetryAfter(header, now)).toBeUndefined();
    },
  );

  test.each(["Mon, 01 Jun 2026 12:00:30 GMT", "Monday, 01-Jun-26 12:00:30 GMT", "Mon Jun  1 12:00:30 2026"])(
    "that is more than a date is ignored: %s",
    (date) => {
      expect(parseRetryAfter(date, now)).toBe(30 * SECOND);
      expect(parseRetryAfter(`on ${date}`, now)).toBeUndefined();
      expect(parseRetryAfter(`${date} (about)`, now)).toBeUndefined();
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
      expect(nextAttemptIn("standard", 1, parseRetryAfter(header, now), 0.5)).toBe(5 * SECOND);
    },
  );

  test("of any text never throws and never yields a negative wait", () => {
    fc.assert(
      fc.property(anyText(), (header) => {
        expect(parseRetryAfter(header, now) ?? 0).toBeGreaterThanOrEqual(0);
      }),
    );
  });
});
