import * as z from "zod/mini";
// By name: z.core as a value would take all of Zod, its locales too, into every bundle.
import { $ZodObjectJIT } from "zod/v4/core";
import { isUri, URI_LENGTH } from "#contract/uri";

/** What a refused value should have been, worded for the error envelope: never the value itself. */
type Expectation = (issue: { readonly input?: unknown }) => string;

/** The message of every check on one value, so that whichever fails says the same thing. */
export function expecting(what: string): Expectation {
  return (issue) => `${what} is ${issue.input === undefined ? "required" : "expected"}`;
}

/**
 * A string of `minimum` to `maximum` Unicode code points, kept exactly as sent.
 * A lone surrogate is refused: UTF-8 cannot carry it.
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
  const schema = z
    .string({ error })
    .check(z.minLength(minimum, { error }), z.maxLength(maximum, { error }), wellFormed);
  // A code point takes one UTF-16 unit or two.
  return plainly(
    schema,
    (value) =>
      typeof value === "string" &&
      value.length <= maximum &&
      value.length >= 2 * minimum - 1 &&
      value.isWellFormed(),
  );
}

/**
 * Lets a value pass that is plainly right, without the checks one by one that tell what is wrong with
 * another. `isRight` may say no to a right value, never yes to a wrong one.
 */
function plainly<Schema extends z.ZodMiniType>(schema: Schema, isRight: (value: unknown) => boolean): Schema {
  const { run } = schema._zod;
  schema._zod.run = (payload, context) => (isRight(payload.value) ? payload : run(payload, context));
  return schema;
}

const wellFormed = z.refine<string>((value) => value.isWellFormed(), {
  error: "a string without unpaired surrogates is expected",
});

const { pattern: DATE } = z.iso.date()._zod;

/** `YYYY-MM-DD`, a day that the calendar has (contract, "Resources and their fields"). */
export function fullDate(orNull = "") {
  const schema = z.iso.date({ error: expecting(`a calendar date as YYYY-MM-DD${orNull}`) });
  return plainly(schema, (value) => typeof value === "string" && DATE.test(value));
}

export function nullableFullDate() {
  return z.nullable(fullDate(", or null,"));
}

// RFC 3339 section 5.6: seconds and an offset are not optional; second 60 is a leap second.
const TIME = /^T(?:[01]\d|2[0-3]):(?:[0-5]\d:[0-5]\d|59:60)(?:\.\d+)?(?:Z|[+-](?:[01]\d|2[0-3]):[0-5]\d)$/i;
const FULL_DATE_LENGTH = "YYYY-MM-DD".length;

function isDateTime(value: string): boolean {
  return TIME.test(value.slice(FULL_DATE_LENGTH)) && DATE.test(value.slice(0, FULL_DATE_LENGTH));
}

/** An RFC 3339 date-time with `Z` or an offset, fractions of a second allowed, kept as sent. */
export function dateTime(orNull = "") {
  const error = expecting(`an RFC 3339 date-time with Z or an offset${orNull}`);
  const schema = z.stringFormat("date-time", isDateTime, { error });
  return plainly(schema, (value) => typeof value === "string" && isDateTime(value));
}

export function nullableDateTime() {
  return z.nullable(dateTime(", or null,"));
}

/** An absolute URI of any scheme that does not execute. */
export function uri(orNull = "") {
  const error = expecting(`an absolute URI of at most ${URI_LENGTH} characters${orNull}`);
  const schema = z.stringFormat("uri", isUri, { error }).check(z.maxLength(URI_LENGTH, { error }));
  return plainly(schema, (value) => typeof value === "string" && isUri(value));
}

export function nullableUri() {
  return z.nullable(uri(", or null,"));
}

/** The longest address that SMTP can carry between angle brackets (RFC 5321, erratum 1690). */
const EMAIL_LENGTH = 254;
// RFC 5321 section 4.1.2: a dot-string, then a domain of two or more labels. Without flags, which a pattern in
// JSON Schema has not, and without lookahead, which RE2 and with it Go has not: the OpenAPI description shows it.
const EMAIL =
  /^[\w!#$%&'*+/=?^`{|}~-]+(?:\.[\w!#$%&'*+/=?^`{|}~-]+)*@(?:[A-Za-z\d](?:[A-Za-z\d-]{0,61}[A-Za-z\d])?\.)+[A-Za-z\d](?:[A-Za-z\d-]{0,61}[A-Za-z\d])?$/;
/** RFC 5321 section 4.5.3.1.1. */
const LOCAL_PART = /^[^@]{1,64}@/;

/** An e-mail address, its case kept. */
export function email(orNull = "") {
  const error = expecting(`an e-mail address of at most ${EMAIL_LENGTH} characters${orNull}`);
  return z
    .email({ pattern: EMAIL, error })
    .check(z.regex(LOCAL_PART, { error }), z.maxLength(EMAIL_LENGTH, { error }));
}

/** Two upper-case letters. Membership in ISO 3166-1 is not enforced: reserved and new codes are kept. */
export function countryCode() {
  return pattern(/^[A-Z]{2}$/, "a country code of two upper-case letters");
}

/** Three upper-case letters. Membership in ISO 4217 is not enforced. */
export function currencyCode() {
  return pattern(/^[A-Z]{3}$/, "a currency code of three upper-case letters");
}

function pattern(regex: RegExp, what: string) {
  const error = expecting(what);
  return z.string({ error }).check(z.regex(regex, { error }));
}

/** A finite JSON number from `minimum` to `maximum`. */
export function number(minimum: number, maximum = Number.POSITIVE_INFINITY, orNull = "") {
  const error = expecting(`a number ${range(minimum, maximum)}${orNull}`);
  const bounded = z.number({ error }).check(z.gte(minimum, { error }));
  return maximum === Number.POSITIVE_INFINITY ? bounded : bounded.check(z.lte(maximum, { error }));
}

export function nullableNumber(minimum: number, maximum?: number) {
  return z.nullable(number(minimum, maximum, ", or null,"));
}

/** A whole JSON number, as `Number.isInteger` judges it, from `minimum` to `maximum`. */
export function integer(minimum: number, maximum = Number.MAX_SAFE_INTEGER, orNull = "") {
  const error = expecting(`a whole number ${range(minimum, maximum)}${orNull}`);
  return z.number({ error }).check(
    // multipleOf has a tolerance and tells the description; z.int() would end the rules of the object it is in.
    z.multipleOf(1, { error }),
    z.refine<number>(Number.isInteger, { error }),
    z.gte(minimum, { error }),
    z.lte(maximum, { error }),
  );
}

export function nullableInteger(minimum: number, maximum?: number) {
  return z.nullable(integer(minimum, maximum, ", or null,"));
}

function range(minimum: number, maximum: number): string {
  return Number.isFinite(maximum) ? `from ${minimum} to ${maximum}` : `of at least ${minimum}`;
}

export function boolean() {
  return z.boolean({ error: expecting("true or false") });
}

export function nullableBoolean() {
  return z.nullable(z.boolean({ error: expecting("true, false or null") }));
}

/** One of the given words, in that spelling. */
export function oneOf<const Values extends readonly [string, ...string[]]>(values: Values) {
  const schema = z.enum(values, { error: expecting(`one of ${values.join(", ")}`) });
  return plainly(schema, (value) => values.includes(value as string));
}

/** An array of `minimum` to `maximum` items. */
export function list<Item extends z.core.SomeType>(item: Item, maximum: number, minimum = 0) {
  const error = expecting(`an array of ${minimum > 0 ? `${minimum} to` : "at most"} ${maximum} items`);
  const array = z.array(item, { error }).check(z.maxLength(maximum, { error }));
  return untilEnoughIsWrong(minimum > 0 ? array.check(z.minLength(minimum, { error })) : array);
}

/** How many issues of one value are found before its other lists are left unread. */
const ENOUGH_ISSUES = 500;

const issuesFound = new WeakMap<z.core.ParseContextInternal, number>();

/**
 * Makes a list pass unread once enough is known to be wrong with the value that it is part of: a body of
 * 4 MiB has room for a hundred thousand wrong values, and an answer names twenty.
 */
function untilEnoughIsWrong<Schema extends z.ZodMiniType>(schema: Schema): Schema {
  const { run } = schema._zod;
  schema._zod.run = (payload, context) => {
    const before = issuesFound.get(context) ?? 0;
    if (before >= ENOUGH_ISSUES) return payload;
    const result = run(payload, context);
    if (result instanceof Promise) return result;
    // The lists inside have been counted already.
    const found = Math.max(before + result.issues.length, issuesFound.get(context) ?? 0);
    if (found > 0) issuesFound.set(context, found);
    return result;
  };
  return schema;
}

/** A JSON object with the given members and no others, which keeps the given rules. */
export function object<const Shape extends z.core.$ZodShape>(
  shape: Shape,
  ...rules: z.core.$ZodCheck<NoInfer<z.core.$InferObjectOutput<Shape, Record<never, never>>>>[]
) {
  const schema = z.strictObject(shape, { error: expecting("an object") });
  return compiledOnceWarm(rules.length > 0 ? schema.check(...rules) : schema);
}

/** How many values an object's schema reads before it is compiled. */
const WARM = 50;

/**
 * Compiles an object's schema to a function of its own once it is read often: that takes a third of the
 * time for each value, and some milliseconds at first, which a cold start shall not pay.
 */
function compiledOnceWarm<Schema extends z.ZodMiniObject>(schema: Schema): Schema {
  const internals = schema._zod;
  const { parse } = internals;
  let read = 0;
  internals.parse = (payload, context) => {
    if (++read <= WARM) return parse(payload, context);
    internals.parse = new $ZodObjectJIT(internals.def)._zod.parse;
    if (!hasRules) internals.run = internals.parse;
    return internals.parse(payload, context);
  };
  const hasRules = (internals.def.checks ?? []).length > 0;
  if (!hasRules) internals.run = internals.parse;
  return schema;
}
