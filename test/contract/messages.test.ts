import { describe, expect, test } from "vitest";
import * as z from "zod/mini";
import {
  boolean,
  countryCode,
  currencyCode,
  dateTime,
  email,
  fullDate,
  integer,
  list,
  nullableBoolean,
  nullableDateTime,
  nullableFullDate,
  nullableInteger,
  nullableNumber,
  nullableText,
  nullableUri,
  number,
  object,
  oneOf,
  shortText,
  text,
  uri,
} from "#contract/values";

/** What is expected of each kind of value, and values past each of its bounds. */
const kinds: readonly (readonly [string, z.ZodMiniType, readonly unknown[]])[] = [
  ["a string of 2 to 4 characters", text(2, 4), ["a", "abcde", 1, null]],
  ["a string of at most 4 characters", shortText(4), ["abcde", 1, null]],
  ["a string of at most 4 characters, or null,", nullableText(4), ["abcde", 1]],
  ["a calendar date as YYYY-MM-DD", fullDate(), ["2026-02-30", "2026-1-1", 1, null]],
  ["a calendar date as YYYY-MM-DD, or null,", nullableFullDate(), ["2026-02-30", 1]],
  ["an RFC 3339 date-time with Z or an offset", dateTime(), ["2026-01-01", "2026-01-01T00:00:00", 1, null]],
  ["an RFC 3339 date-time with Z or an offset, or null,", nullableDateTime(), ["2026-01-01", 1]],
  [
    "an absolute URI in ASCII (any scheme except javascript and vbscript) of at most 2048 characters",
    uri(),
    ["/a", `https://${"a".repeat(2_041)}`, 1, null],
  ],
  [
    "an absolute URI in ASCII (any scheme except javascript and vbscript) of at most 2048 characters, or null,",
    nullableUri(),
    ["/a", 1],
  ],
  [
    "an ASCII e-mail address with a dot in its domain and at most 254 characters, 64 before the @,",
    email(),
    ["ada", `${"a".repeat(65)}@example.com`, `ada@${"a.".repeat(124)}com`, 1, null],
  ],
  ["a country code of two upper-case letters", countryCode(), ["de", "DEU", 1, null]],
  ["a currency code of three upper-case letters", currencyCode(), ["eur", "EU", 1, null]],
  ["a number from 1 to 2", number(1, 2), [0.9, 2.1, "1", null]],
  ["a number of at least 1", number(1), [0.9, "1", null]],
  ["a number from 1 to 2, or null,", nullableNumber(1, 2), [0.9, 2.1, "1"]],
  ["a whole number from 1 to 2", integer(1, 2), [0, 3, 1.5, "1", null]],
  ["a whole number from 1 to 2, or null,", nullableInteger(1, 2), [0, 3, 1.5, "1"]],
  ["true or false", boolean(), ["true", null]],
  ["true, false or null", nullableBoolean(), ["true"]],
  ["one of cv, other", oneOf(["cv", "other"]), ["CV", 1, null]],
  ["an array of at most 2 items", list(boolean(), 2), [[true, true, true], {}, null]],
  ["an array of 1 to 2 items", list(boolean(), 2, 1), [[], [true, true, true], {}, null]],
  ["an object", object({ a: z.optional(boolean()) }), [[], "a", null]],
];

describe.each(kinds)("%s", (what, schema, refused) => {
  test.each(refused)("is expected, says the message for %j", (value) => {
    const { error } = schema.safeParse(value);

    expect(new Set(error?.issues.map(({ message }) => message))).toEqual(new Set([`${what} is expected`]));
  });

  test("is required, says the message for an absent member", () => {
    const { error } = z.object({ member: schema }).safeParse({});

    expect(error?.issues.map(({ message }) => message)).toEqual([`${what} is required`]);
  });
});

test.each([text(0, 4), shortText(4), nullableText(4)])(
  "a string with an unpaired surrogate is refused with a message that says so (%#)",
  (schema) => {
    expect(schema.safeParse("a\ud83d").error?.issues).toMatchObject([
      { message: "a string without unpaired surrogates is expected" },
    ]);
  },
);
