import { arrayOf, type Check, isObject, isText } from "./checks.ts";

/** A query has no signal: the call's options, its last argument, do. */
export interface WithoutSignal {
  readonly signal?: never;
}

/** A member of a query. */
interface Member {
  readonly expected: string;
  readonly isValid: Check;
}

/** A time, in a query or a body. */
export const TIME: Member = { expected: "an RFC 3339 date-time or a valid Date", isValid: isTime };
const CURSOR: Member = { expected: "the nextCursor of an earlier page", isValid: isText };
const LIMIT: Member = { expected: "a whole number", isValid: Number.isInteger };

/** The members of a query of events. */
export const EVENTS_QUERY = {
  cursor: CURSOR,
  since: TIME,
  types: { expected: "a list of event types", isValid: arrayOf(isText) },
  limit: LIMIT,
};

/** The same of a query whose events may be followed. */
export const FOLLOW_QUERY = {
  ...EVENTS_QUERY,
  follow: { expected: "true or false", isValid: (value: unknown) => typeof value === "boolean" },
};

/** The members of a query of deliveries, whose pages follow one another. */
export const DELIVERIES_QUERY = { status: { expected: "a status", isValid: isText }, limit: LIMIT };

/** The same of one page. */
export const DELIVERIES_PAGE_QUERY = { ...DELIVERIES_QUERY, cursor: CURSOR };

/**
 * Refuses what would be ignored or sent as another value: a misspelt filter reads too much, and a signal in the query
 * cancels nothing.
 *
 * @throws TypeError on a member that the query does not have, or whose value is of the wrong type
 */
export function assertQuery(query: unknown, members: Readonly<Record<string, Member>>): void {
  if (!isObject(query)) throw new TypeError("query: an object is expected");
  for (const [name, value] of Object.entries(query)) {
    if (value === undefined) continue;
    const member = Object.hasOwn(members, name) ? members[name] : undefined;
    if (!member) throw unknownMember(name, members);
    assertMember(name, value, member);
  }
}

/**
 * A query as it is sent: a list with commas, a `Date` as its date-time.
 *
 * @throws TypeError as {@link assertQuery} does
 */
export function encodedQuery(query: object, members: Readonly<Record<string, Member>>): string {
  assertQuery(query, members);
  const parameters = new URLSearchParams();
  for (const [name, value] of Object.entries(query)) {
    if (value !== undefined) parameters.set(name, isDate(value) ? value.toISOString() : String(value));
  }
  return String(parameters);
}

/** @throws TypeError if the value is of the wrong type */
export function assertMember(name: string, value: unknown, { expected, isValid }: Member): void {
  if (!isValid(value)) throw new TypeError(`${name}: ${expected} is expected`);
}

function unknownMember(name: string, members: object): TypeError {
  const remedy =
    name === "signal"
      ? "pass it in the options, the last argument"
      : `expected are ${Object.keys(members).join(", ")}`;
  return new TypeError(`query: it has no member ${name}; ${remedy}`);
}

function isTime(value: unknown): boolean {
  return isDate(value) ? !Number.isNaN(value.getTime()) : isText(value);
}

/** Also of another realm, where `instanceof` fails. */
function isDate(value: unknown): value is Date {
  return Object.prototype.toString.call(value) === "[object Date]";
}
