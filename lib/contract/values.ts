import * as z from "zod/mini";
import { isUri, URI_LENGTH } from "#contract/uri";

/** What a refused value should have been, worded for the error envelope. Never contains the value itself. */
type Expectation = (issue: { readonly input?: unknown }) => string;

/** The message of a failed check. All checks on one value share it, so that the problem is listed once. */
export function expecting(what: string): Expectation {
  return (issue) => `${what} is ${issue.input === undefined ? "required" : "expected"}`;
}

/**
 * A string of `minimum` to `maximum` Unicode code points, kept exactly as sent.
 * A lone surrogate is refused, because UTF-8 cannot represent it.
 */
export function text(minimum: number, maximum: number) {
  return boundedText(minimum, maximum, `a string of ${minimum} to ${maximum} characters`);
}

/** A string of at most `maximum` code points, `""` included. */
export function shortText(maximum: number) {
  return boundedText(0, maximum, `a string of at most ${maximum} characters`);
}

/** A string of at most `maximum` code points, or null. */
export function nullableText(maximum: number) {
  return z.nullable(boundedText(0, maximum, `a string of at most ${maximum} characters, or null,`));
}

function boundedText(minimum: number, maximum: number, what: string) {
  const error = expecting(what);
  return z
    .string({ error })
    .check(z.minLength(minimum, { error }), z.maxLength(maximum, { error }), wellFormed);
}

const wellFormed = z.refine<string>((value) => value.isWellFormed(), {
  error: "a string without unpaired surrogates is expected",
});

/** A valid calendar date, `YYYY-MM-DD` (contract, "Resources and their fields"). */
export function fullDate(orNull = "") {
  return z.iso.date({ error: expecting(`a calendar date as YYYY-MM-DD${orNull}`) });
}

export function nullableFullDate() {
  return z.nullable(fullDate(", or null,"));
}

// RFC 3339 section 5.6: seconds and an offset are required; second 60 is a leap second.
const TIME = /^T([01]\d|2[0-3]):([0-5]\d):(?:[0-5]\d|(60))(?:\.\d+)?(?:Z|([+-])([01]\d|2[0-3]):([0-5]\d))$/i;
const MINUTES_PER_DAY = 24 * 60;
const FullDate = z.iso.date();
const FULL_DATE_LENGTH = "YYYY-MM-DD".length;

function isDateTime(value: string): boolean {
  return (
    isTime(value.slice(FULL_DATE_LENGTH)) && FullDate.safeParse(value.slice(0, FULL_DATE_LENGTH)).success
  );
}

function isTime(value: string): boolean {
  const match = TIME.exec(value);
  if (!match) return false;
  const [, hour, minute, leap, sign, offsetHour = 0, offsetMinute = 0] = match;
  if (leap === undefined) return true;
  const offset = (sign === "-" ? -1 : 1) * (Number(offsetHour) * 60 + Number(offsetMinute));
  const inUtc = Number(hour) * 60 + Number(minute) - offset;
  // A leap second is the last one of a day in UTC (RFC 3339, section 5.7).
  return (inUtc + MINUTES_PER_DAY) % MINUTES_PER_DAY === MINUTES_PER_DAY - 1;
}

/** An RFC 3339 date-time with `Z` or an offset. Fractions of a second are allowed. Kept as sent. */
export function dateTime(detail = "") {
  const error = expecting(`an RFC 3339 date-time with Z or an offset${detail}`);
  return z.stringFormat("date-time", isDateTime, { error });
}

/** An RFC 3339 date-time as a Date. A leap second, which JavaScript does not know, counts as the second before it. */
export function moment(detail = "") {
  return z.pipe(
    dateTime(detail),
    z.transform((value: string) => new Date(value.replace(/:60/, ":59"))),
  );
}

export function nullableDateTime() {
  return z.nullable(dateTime(", or null,"));
}

/** An absolute URI whose scheme cannot run a script. */
export function uri(orNull = "") {
  const error = expecting(
    `an absolute URI in ASCII (any scheme except javascript and vbscript) of at most ${URI_LENGTH} characters${orNull}`,
  );
  return z.stringFormat("uri", isUri, { error }).check(z.maxLength(URI_LENGTH, { error }));
}

export function nullableUri() {
  return z.nullable(uri(", or null,"));
}

/** The longest address that SMTP allows between angle brackets (RFC 3696, erratum 1690). */
const EMAIL_LENGTH = 254;
// RFC 5321 section 4.1.2: a dot-string, then a domain of two or more labels. The pattern is part of the OpenAPI
// description, so it has no flags (JSON Schema has none), no lookahead (RE2, which Go uses, has none), and no `\w`
// (Unicode letters in Python).
const EMAIL =
  /^[A-Za-z0-9_!#$%&'*+/=?^`{|}~-]+(?:\.[A-Za-z0-9_!#$%&'*+/=?^`{|}~-]+)*@(?:[A-Za-z0-9](?:[A-Za-z0-9-]{0,61}[A-Za-z0-9])?\.)+[A-Za-z0-9](?:[A-Za-z0-9-]{0,61}[A-Za-z0-9])?$/;
/** RFC 5321 section 4.5.3.1.1. */
const LOCAL_PART = /^[^@]{1,64}@/;

/** An e-mail address, with its case preserved. */
export function email(orNull = ",") {
  const error = expecting(
    `an ASCII e-mail address with a dot in its domain and at most ${EMAIL_LENGTH} characters, 64 before the @${orNull}`,
  );
  return z
    .email({ pattern: EMAIL, error })
    .check(z.regex(LOCAL_PART, { error }), z.maxLength(EMAIL_LENGTH, { error }));
}

/** Two upper-case letters. Not checked against ISO 3166-1: reserved and new codes are accepted. */
export function countryCode() {
  return pattern(/^[A-Z]{2}$/, "a country code of two upper-case letters");
}

/** Three upper-case letters. Not checked against ISO 4217. */
export function currencyCode() {
  return pattern(/^[A-Z]{3}$/, "a currency code of three upper-case letters");
}

/** A string that matches a pattern. */
export function pattern(regex: RegExp, what: string) {
  const error = expecting(what);
  return z.string({ error }).check(z.regex(regex, { error }));
}

/** Negative zero as zero: both are stored and returned as 0, but an exact comparison with the stored one differs. */
function withoutNegativeZero() {
  return z.overwrite<number>((value) => value + 0);
}

/** A finite JSON number from `minimum` to `maximum`. */
export function number(minimum: number, maximum?: number, orNull = "") {
  const error = expecting(`a number ${range(minimum, maximum)}${orNull}`);
  const bounded = z.number({ error }).check(z.gte(minimum, { error }), withoutNegativeZero());
  return maximum === undefined ? bounded : bounded.check(z.lte(maximum, { error }));
}

export function nullableNumber(minimum: number, maximum?: number) {
  return z.nullable(number(minimum, maximum, ", or null,"));
}

/** A JSON number from `minimum` to `maximum` that satisfies `Number.isInteger`. */
export function integer(minimum: number, maximum = Number.MAX_SAFE_INTEGER, orNull = "") {
  const error = expecting(`a whole number ${range(minimum, maximum)}${orNull}`);
  return z.number({ error }).check(
    // multipleOf appears in the OpenAPI description, but allows a tolerance; isInteger is exact. If z.int() failed, the
    // rules of the enclosing object would not run.
    z.multipleOf(1, { error }),
    z.refine<number>(Number.isInteger, { error }),
    z.gte(minimum, { error }),
    z.lte(maximum, { error }),
    withoutNegativeZero(),
  );
}

export function nullableInteger(minimum: number, maximum?: number) {
  return z.nullable(integer(minimum, maximum, ", or null,"));
}

function range(minimum: number, maximum?: number): string {
  return maximum === undefined ? `of at least ${minimum}` : `from ${minimum} to ${maximum}`;
}

export function boolean() {
  return z.boolean({ error: expecting("true or false") });
}

export function nullableBoolean() {
  return z.nullable(z.boolean({ error: expecting("true, false or null") }));
}

/** One of the given strings, case-sensitive. */
export function oneOf<const Values extends readonly [string, ...string[]]>(values: Values) {
  return z.enum(values, { error: expecting(`one of ${values.join(", ")}`) });
}

/** An array of `minimum` to `maximum` items. */
export function list<Item extends z.core.SomeType>(item: Item, maximum: number, minimum = 0) {
  const error = expecting(`an array of ${minimum > 0 ? `${minimum} to` : "at most"} ${maximum} items`);
  const array = z.array(item, { error }).check(z.maxLength(maximum, { error }));
  return minimum > 0 ? array.check(z.minLength(minimum, { error })) : array;
}

/** The number of problems in one list after which its other items are not validated. */
const ENOUGH_PROBLEMS = 500;
/** A list that contains at most this many values, at any depth, is always validated in full. */
const ALWAYS_VALIDATED = 2_000;

/**
 * An array of at most `maximum` items that contain lists themselves. A body can hold tens of thousands of invalid
 * values in them, but an error message lists twenty: items after the first {@link ENOUGH_PROBLEMS} are not validated.
 */
export function nestedList<Item extends z.core.$ZodType>(item: Item, maximum: number) {
  const array = list(item, maximum);
  return z.pipe(
    z.transform((items: z.input<typeof array>) => upToEnoughProblems(items, item, maximum)),
    array,
  );
}

/**
 * The items of a long list up to the one that brings its problems to {@link ENOUGH_PROBLEMS}; otherwise all items, also
 * of a list with more than `maximum`, of which only the length is validated.
 */
function upToEnoughProblems<Items>(items: Items, item: z.core.$ZodType, maximum: number): Items {
  if (!Array.isArray(items) || items.length > maximum) return items;
  if (!holdsMoreThan(ALWAYS_VALIDATED, items)) return items;
  let problems = 0;
  const last = items.findIndex((each) => {
    problems += z.safeParse(item, each).error?.issues.length ?? 0;
    return problems >= ENOUGH_PROBLEMS;
  });
  return last < 0 ? items : (items.slice(0, last + 1) as Items);
}

/** Whether an array or an object contains more than `count` values, at any depth. */
function holdsMoreThan(count: number, value: object): boolean {
  const containers = [value];
  let values = 0;
  for (const container of containers) {
    for (const each of Object.values(container)) {
      values += 1;
      if (values > count) return true;
      if (typeof each === "object" && each !== null) containers.push(each);
    }
  }
  return false;
}

/** A JSON object with exactly the given members that satisfies the given rules. */
export function object<const Shape extends z.core.$ZodShape>(
  shape: Shape,
  ...rules: z.core.$ZodCheck<NoInfer<z.core.$InferObjectOutput<Shape, Record<never, never>>>>[]
) {
  const schema = z.strictObject(shape, { error: expecting("an object") });
  return rules.length > 0 ? schema.check(...rules) : schema;
}
