import { closest, distance } from "fastest-levenshtein";
import * as z from "zod/mini";
import { CandidateSubmission } from "../../lib/contract/candidate-submission.ts";

export type Path = readonly (string | number)[];
export type Schema = z.core.JSONSchema.BaseSchema;

/** A member of a submission, or of an object in it. */
export interface Member {
  readonly path: Path;
  readonly schema: Schema;
}

const submission: Schema = z.toJSONSchema(CandidateSubmission, { io: "input" });

export const REQUIRED_MEMBERS: readonly string[] = submission.required ?? [];

const PATH = /^\w+(?:\.\w+|\[\d{1,3}\])*$/;
/** The share of a name that may differ from that of the member that it resembles. */
const TYPING_ERRORS = 0.4;

/** The member with a path such as `address.city` or `skills[0].name`; undefined if there is none. */
export function memberAt(name: string): Member | undefined {
  if (!PATH.test(name)) return undefined;
  const path = [...name.matchAll(/\w+/g)].map(([part]) => (/^\d+$/.test(part) ? Number(part) : part));
  const schema = path.reduce(memberOf, submission as Schema | undefined);
  return schema && { path, schema };
}

function memberOf(schema: Schema | undefined, part: string | number): Schema | undefined {
  const { properties = {}, items } = nonNullable(schema);
  const member = typeof part === "number" ? items : Object.hasOwn(properties, part) && properties[part];
  return typeof member === "object" && !Array.isArray(member) ? member : undefined;
}

/** The schema of a nullable member's values. */
export function nonNullable(schema: Schema | undefined): Schema {
  const alternatives = schema?.anyOf?.filter((one) => typeof one === "object" && one.type !== "null");
  const [alternative] = alternatives ?? [];
  return (typeof alternative === "object" ? alternative : schema) ?? {};
}

/** A shorter name may be the beginning of many members. */
const LEAST_LETTERS = 4;

/**
 * The path of the member that a name resembles: it is the beginning of a required member, or differs in case,
 * punctuation or a few letters.
 */
export function memberLike(name: string): string | undefined {
  const letters = lettersOf(name);
  if (letters === "") return undefined;
  const begun = REQUIRED_MEMBERS.find((member) => lettersOf(member).startsWith(letters));
  if (begun && letters.length >= LEAST_LETTERS) return begun;
  const most = letters.length * TYPING_ERRORS;
  // The difference of two lengths is the least distance. It rules out all members for a very long name.
  const candidates = [...PATHS.keys()].filter((each) => Math.abs(each.length - letters.length) <= most);
  if (candidates.length === 0) return undefined;
  const nearest = closest(letters, candidates);
  return distance(letters, nearest) <= most ? PATHS.get(nearest) : undefined;
}

function lettersOf(name: string): string {
  return name.toLowerCase().replace(/\[\d+\]|[^a-z\d]/g, "");
}

/** All paths. A list comes after its items, which have the same letters. */
function pathsIn(schema: Schema, prefix = ""): string[] {
  const { properties = {}, items } = nonNullable(schema);
  const members = Object.entries(properties).map(
    ([name, member]) => [prefix === "" ? name : `${prefix}.${name}`, member] as const,
  );
  if (items !== undefined) members.push([`${prefix}[0]`, items as Schema]);
  return members.flatMap(([path, member]) => [...pathsIn(member as Schema, path), path]);
}

/** By their letters. */
const PATHS = new Map(pathsIn(submission).map((path) => [lettersOf(path), path]));
