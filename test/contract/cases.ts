import fc from "fast-check";
import { aFullSubmission } from "../builders/submission.ts";
import { amendment, submission } from "./bounds.ts";
import type { JsonObject } from "./json.ts";
import type { Kind, Member, Table } from "./kinds.ts";

/** One value at, or one past, a bound of the contract, in a body that is otherwise without fault. */
export interface BoundCase {
  /** `workHistory[0].startDate`, as error messages spell it. */
  readonly path: string;
  /** The body's own member that the path starts with; empty when the body itself is meant. */
  readonly member: string;
  readonly what: string;
  readonly accepted: boolean;
  readonly body: JsonObject;
  /** About a kind of value rather than this member of it. */
  readonly detail: boolean;
  /** What the member at the path reads back as, where it is accepted. */
  readonly expected?: unknown;
}

/** The cases with each bound of every member, but each detail of a kind of value only where it comes first. */
export function withDetailsOnce(cases: readonly BoundCase[]): BoundCase[] {
  const seen = new Set<string>();
  return cases.filter(({ detail, what, accepted }) => {
    const key = `${accepted} ${what}`;
    const isFirst = !seen.has(key);
    if (detail) seen.add(key);
    return !detail || isFirst;
  });
}

/** Of the cases of each member the last one that is accepted and the last one that is refused: the deepest. */
export function oneOfEach(cases: readonly BoundCase[]): BoundCase[] {
  const last = new Map(withDetailsOnce(cases).map((each) => [`${each.accepted} ${each.member}`, each]));
  return [...last.values()];
}

type Path = readonly (string | number)[];

/** Every bound of create's body. */
export function submissionCases(): BoundCase[] {
  return [...casesOf(submission, aFullSubmission())];
}

/** Every bound of amend's body, each with no other member than the one under test. */
export function amendmentCases(): BoundCase[] {
  const full: JsonObject = { ...aFullSubmission() };
  return Object.entries(amendment.members).flatMap(([name, member]) => {
    const base = { [name]: full[name] };
    return [...memberCases(member, [name], base)];
  });
}

function* casesOf(table: Table, base: JsonObject, path: Path = []): Generator<BoundCase> {
  yield* unknownMemberCases(base, path);
  for (const [name, member] of Object.entries(table.members)) {
    yield* memberCases(member, [...path, name], base);
  }
}

function* memberCases(
  { kind, required, fallback }: Member,
  path: Path,
  base: JsonObject,
): Generator<BoundCase> {
  yield caseOf(base, path, "nothing", undefined, !required, fallback);
  yield caseOf(base, path, "null", null, kind.nullable);
  yield* valueCases(kind, path, base);
}

function* valueCases(kind: Kind, path: Path, base: JsonObject): Generator<BoundCase> {
  for (const { what, value, detail = false } of kind.accepted) {
    yield { ...caseOf(base, path, what, value, true, withDefaults(kind, value)), detail };
  }
  for (const { what, value, detail = false } of kind.refused) {
    yield { ...caseOf(base, path, what, value, false), detail };
  }
  if (kind.type === "object") yield* casesOf(kind, base, path);
  if (kind.type === "list") {
    if (kind.item.type === "object") yield* casesOf(kind.item, base, [...path, 0]);
    else yield* valueCases(kind.item, [...path, 0], base);
  }
}

/** Names that no table holds; some of them every JavaScript object has. */
const UNKNOWN_MEMBERS = ["nickname", "__proto__", "constructor", "toString", "Country", ""];

function* unknownMemberCases(base: JsonObject, path: Path): Generator<BoundCase> {
  for (const name of UNKNOWN_MEMBERS) {
    const { body, ...rest } = caseOf(
      base,
      [...path, name],
      `a member named "${name}"`,
      { polluted: true },
      false,
    );
    yield { ...rest, body, path: spell(path), detail: name !== "nickname" };
  }
}

function caseOf(
  base: JsonObject,
  path: Path,
  what: string,
  value: unknown,
  accepted: boolean,
  expected: unknown = value,
): BoundCase {
  const body = structuredClone(base);
  put(body, path, value);
  obeyRules(body, path);
  return { path: spell(path), member: String(path[0]), what, accepted, detail: false, body, expected };
}

function put(target: JsonObject, path: Path, value: unknown): void {
  const [name = "", ...rest] = path;
  if (rest.length > 0) put(target[name] as JsonObject, rest, value);
  else if (value === undefined) delete target[name];
  // An assignment to __proto__ would not make a member.
  else Object.defineProperty(target, name, { value, enumerable: true, configurable: true, writable: true });
}

/**
 * Makes the rules between members hold, so that nothing but the member at `focus` is in question: one of
 * assetKey and url, one of reportKey and reportUrl, a currentVersion that is a version's, versions told apart.
 */
function obeyRules(body: JsonObject, focus: Path = []): void {
  const focused = focus.at(-1);
  for (const item of objectsIn(body["media"])) {
    const [mine, other] = focused === "url" ? ["url", "assetKey"] : ["assetKey", "url"];
    if (isGiven(item[mine]) && isGiven(item[other])) delete item[other];
    if (!isGiven(item[mine]) && !isGiven(item[other])) item[other] = "https://example.com/media";
  }
  for (const item of objectsIn(body["assessments"])) {
    const [mine, other] = focused === "reportUrl" ? ["reportUrl", "reportKey"] : ["reportKey", "reportUrl"];
    if (isGiven(item[mine]) && isGiven(item[other])) delete item[other];
  }
  for (const item of objectsIn(body["documents"])) {
    const versions = objectsIn(item["versions"]);
    const seen = new Set<unknown>();
    for (const version of versions) {
      for (let next = 1; seen.has(version["version"]); next++) version["version"] = next;
      seen.add(version["version"]);
    }
    const [first] = versions;
    if (!first) continue;
    if (focused === "currentVersion" && isGiven(item["currentVersion"]))
      first["version"] = item["currentVersion"];
    if (focused !== "currentVersion" && isGiven(first["version"])) item["currentVersion"] = first["version"];
  }
}

function objectsIn(list: unknown): JsonObject[] {
  if (!Array.isArray(list)) return [];
  return list.filter((item) => typeof item === "object" && item !== null && !Array.isArray(item));
}

function isGiven(value: unknown): boolean {
  return value !== undefined && value !== null;
}

function spell(path: Path): string {
  return path
    .map((part) => (typeof part === "number" ? `[${part}]` : `.${part}`))
    .join("")
    .slice(1);
}

/** The value with the contract's defaults in place of what it leaves away. */
export function withDefaults(kind: Kind, value: unknown): unknown {
  if (kind.type === "list") return (value as readonly unknown[]).map((item) => withDefaults(kind.item, item));
  if (kind.type === "leaf" || value === null) return value;
  const filled: JsonObject = {};
  for (const [name, member] of Object.entries(kind.members)) {
    const sent = (value as JsonObject)[name];
    const kept = sent === undefined ? member.fallback : withDefaults(member.kind, sent);
    if (kept !== undefined) filled[name] = kept;
  }
  return filled;
}

/** Any body that create accepts. */
export const anySubmission: fc.Arbitrary<JsonObject> = sound(submission);

/** Any body that amend accepts, save one that withdraws consent. */
export const anyAmendment: fc.Arbitrary<JsonObject> = sound(amendment).map((body) =>
  body["consentGiven"] === false ? { ...body, consentGiven: true } : body,
);

function sound(table: Table): fc.Arbitrary<JsonObject> {
  return table.arbitrary.map((generated) => {
    // fast-check's records may lack a prototype; a parsed body never does.
    const body = structuredClone(generated) as JsonObject;
    obeyRules(body);
    return body;
  });
}

const refusals = submissionCases().filter(({ accepted }) => !accepted);

/** A body that create accepts, but for one member, at any depth, that is past a bound. */
export const anyRefusedSubmission: fc.Arbitrary<BoundCase> = fc
  .tuple(anySubmission, fc.constantFrom(...refusals))
  .map(([body, refusal]) => {
    const { [refusal.member]: _, ...others } = body;
    const carried = Object.entries(refusal.body).filter(([name]) => name === refusal.member);
    const mutated: JsonObject = { ...others };
    for (const [name, value] of carried) put(mutated, [name], value);
    return { ...refusal, body: mutated };
  });
