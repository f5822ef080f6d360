import * as z from "zod/mini";
import { CandidateSubmission } from "../../lib/contract/candidate-submission.ts";
import { UsageError } from "../terminal/errors.ts";
import type { Row } from "./row.ts";

/** How to read the columns of a CSV file. */
export interface CsvLayout {
  readonly delimiter: string;
  /** The cell text that means null. If absent, no cell is null. */
  readonly nullText?: string | undefined;
  /** The member for each of these columns, or null for a column to ignore. */
  readonly columns: ColumnMapping;
}

/** The content of a `--columns` file: column headings, each with the path of its member or null. */
export const ColumnMapping = z.record(z.string(), z.nullable(z.string()));
export type ColumnMapping = z.infer<typeof ColumnMapping>;

type Path = readonly (string | number)[];

interface Column {
  readonly heading: string;
  readonly path: Path;
  readonly convert: (cell: string) => unknown;
}

type Schema = z.core.JSONSchema.BaseSchema;

const submission: Schema = z.toJSONSchema(CandidateSubmission, { io: "input" });

const PATH = /^\w+(?:\.\w+|\[\d{1,3}\])*$/;
const JSON_NUMBER = /^-?\d+(?:\.\d+)?(?:e[+-]?\d+)?$/i;

/**
 * Converts the cells of a line to a submission. A column's heading is the path of its member, such as
 * `address.city` or `skills[0].name`. A column for a whole list or object contains JSON. An empty cell is an absent
 * member.
 *
 * @throws UsageError if the headings are not those of candidates
 */
export function submissionReader(headings: readonly string[], { delimiter, nullText, columns }: CsvLayout) {
  assertDelimited(headings, delimiter, columns);
  const read = headings.map((heading) => columnOf(heading.trim(), columns));
  assertWhole(read.filter((column) => column !== undefined));
  return (cells: readonly string[]): Pick<Row, "value" | "problem"> => {
    if (cells.length !== headings.length) {
      return {
        value: cells,
        problem: `the row has ${cells.length} cells, but ${headings.length} are expected${spread(cells)}`,
      };
    }
    const value = {};
    for (const [at, column] of read.entries()) {
      const cell = cells[at];
      if (!column || cell === undefined || cell === "") continue;
      place(value, column.path, cell === nullText ? null : column.convert(cell));
    }
    return { value: withoutGaps(value) };
  };
}

/** What to check in a row of several lines: if a quote is not closed, the next lines become part of its cell. */
function spread(cells: readonly string[]): string {
  const lineEnds = cells.reduce((sum, cell) => sum + cell.split("\n").length - 1, 0);
  return lineEnds > 0 ? `. It spans ${lineEnds + 1} lines: check its quotes` : "";
}

/** The characters that programs write between cells, and how to pass them to `--delimiter`. */
const DELIMITERS = { ",": '","', ";": '";"', "\t": '"\\t"', "|": '"|"' };

/** Checks that no heading contains several headings, separated by another delimiter. */
function assertDelimited(headings: readonly string[], delimiter: string, columns: ColumnMapping): void {
  for (const [other, option] of Object.entries(DELIMITERS)) {
    const several = headings.find(
      (heading) => heading.includes(other) && !Object.hasOwn(columns, heading.trim()),
    );
    if (other === delimiter || several === undefined) continue;
    throw new UsageError(
      `The first line separates the column headings with ${option}, not with ${JSON.stringify(delimiter)}. Add --delimiter ${option}.`,
    );
  }
}

function columnOf(heading: string, mapping: ColumnMapping): Column | undefined {
  const member = Object.hasOwn(mapping, heading) ? mapping[heading] : heading;
  if (member === null || member === undefined) return undefined;
  const path = PATH.test(member)
    ? [...member.matchAll(/\w+/g)].map(([part]) => (/^\d/.test(part) ? Number(part) : part))
    : [];
  const schema = path.length > 0 ? path.reduce(memberOf, submission as Schema | undefined) : undefined;
  if (!schema) {
    throw new UsageError(
      `The column "${heading}" is not a member of a candidate. Rename it, or map it to a member in a --columns file.`,
    );
  }
  return { heading, path, convert: converterOf(schema) };
}

function memberOf(schema: Schema | undefined, part: string | number): Schema | undefined {
  const { properties = {}, items } = withoutNull(schema);
  const member = typeof part === "number" ? items : Object.hasOwn(properties, part) && properties[part];
  return typeof member === "object" && !Array.isArray(member) ? member : undefined;
}

/** The schema of a nullable member's values. */
function withoutNull(schema: Schema | undefined): Schema {
  const alternatives = schema?.anyOf?.filter((one) => typeof one === "object" && one.type !== "null");
  const [alternative] = alternatives ?? [];
  return (typeof alternative === "object" ? alternative : schema) ?? {};
}

/** A cell that does not match its member's type stays text. Validation then refuses it with its path. */
function converterOf(schema: Schema): (cell: string) => unknown {
  const { type } = withoutNull(schema);
  const types = [type].flat();
  if (types.includes("number") || types.includes("integer")) {
    return (cell) => (JSON_NUMBER.test(cell.trim()) ? Number(cell) : cell);
  }
  if (types.includes("boolean")) {
    return (cell) => ({ true: true, false: false })[cell.trim().toLowerCase()] ?? cell;
  }
  if (types.includes("array") || types.includes("object")) return (cell) => parsed(cell);
  return (cell) => cell;
}

function parsed(cell: string): unknown {
  try {
    return JSON.parse(cell);
  } catch {
    return cell;
  }
}

/** Checks that no member has two columns, and that each required one has a column. */
function assertWhole(columns: readonly Column[]): void {
  for (const [at, { heading, path }] of columns.entries()) {
    const other = columns
      .slice(0, at)
      .find((earlier) => path.every((part, depth) => (earlier.path[depth] ?? part) === part));
    if (other)
      throw new UsageError(`The columns "${other.heading}" and "${heading}" contain the same member.`);
  }
  const named = new Set(columns.map(({ path: [member] }) => member));
  const missing = (submission.required ?? []).filter((member) => !named.has(member));
  if (missing.length > 0) throw new UsageError(`These columns are missing: ${missing.join(", ")}.`);
}

type Container = Record<string | number, unknown>;

function place(root: Container, path: Path, value: unknown): void {
  let container = root;
  for (const [at, part] of path.entries()) {
    const next = path[at + 1];
    container[part] ??= next === undefined ? value : typeof next === "number" ? [] : {};
    container = container[part] as Container;
  }
}

/** Removes items whose cells are all empty. Later items move up. */
function withoutGaps(value: unknown): unknown {
  if (Array.isArray(value)) return Object.values(value).map(withoutGaps);
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([name, member]) => [name, withoutGaps(member)]));
}
