import * as z from "zod/mini";
import { isShallow } from "../src/shallow.ts";
import { UsageError } from "../terminal/errors.ts";
import { lineEndsIn } from "./csv-lines.ts";
import { memberAt, memberLike, nonNullable, type Path, REQUIRED_MEMBERS, type Schema } from "./members.ts";
import type { Row } from "./row.ts";

/** How to read the columns of a CSV file. */
export interface CsvLayout {
  readonly delimiter: string;
  /** The cell text that means null. If absent, no cell is null. */
  readonly nullText?: string | undefined;
  /** The member for each of these columns, or null for a column to ignore. */
  readonly columns: ColumnMapping;
}

/**
 * The content of a `--columns` file: column headings, each with the path of its member or null. Spaces around a
 * heading do not count, in the file of rows either.
 */
export const ColumnMapping = z.record(z.string().check(z.trim()), z.nullable(z.string()));
export type ColumnMapping = z.infer<typeof ColumnMapping>;

interface Column {
  readonly heading: string;
  readonly path: Path;
  readonly convert: (cell: string) => unknown;
  /** Whether it is of a whole list or object, so that its cells are JSON. One that is not JSON stays text. */
  readonly holdsJson: boolean;
}

const NOT_JSON =
  "the cell is not JSON, or is nested too deeply, although the column is of a whole list or object; check its quotes, commas and brackets";

const JSON_NUMBER = /^-?\d+(?:\.\d+)?(?:e[+-]?\d+)?$/i;

/**
 * Converts the cells of a line to a submission. A column's heading is the path of its member, such as
 * `address.city` or `skills[0].name`. A column for a whole list or object contains JSON. An empty cell is an absent
 * member.
 *
 * @throws UsageError if the headings are not those of candidates
 */
export function submissionReader(headings: readonly string[], { delimiter, nullText, columns }: CsvLayout) {
  assertNoInstruction(headings.join(delimiter), delimiter);
  assertDelimited(headings, delimiter, columns);
  const names = headings.map((heading) => heading.trim());
  assertMembers(names, columns);
  const read = names.map((heading) => columnOf(heading, columns));
  assertWhole(read.filter((column) => column !== undefined));
  return (cells: readonly string[]): Pick<Row, "value" | "problem"> => {
    if (cells.length !== headings.length) {
      return {
        // No member is read, because it is unknown to which of them a cell belongs.
        value: { cells },
        problem: `the row has ${cells.length} ${cells.length === 1 ? "cell" : "cells"}, but ${headings.length} are expected${spread(cells)}`,
      };
    }
    const value = {};
    const broken: string[] = [];
    for (const [at, column] of read.entries()) {
      const cell = cells[at];
      if (!column || cell === undefined || cell === "") continue;
      const member = cell === nullText ? null : column.convert(cell);
      if (column.holdsJson && member === cell) broken.push(`${column.heading}: ${NOT_JSON}`);
      place(value, column.path, member);
    }
    return { value: withoutGaps(value), ...(broken.length > 0 && { problem: broken.join("; ") }) };
  };
}

/** What to check in a row of several lines: if a quote is not closed, the next lines become part of its cell. */
function spread(cells: readonly string[]): string {
  const lineEnds = lineEndsIn(cells);
  return lineEnds > 0 ? `. It spans ${lineEnds + 1} lines: check its quotes` : "";
}

/** The characters that programs write between cells, and how to pass them to `--delimiter`. */
const DELIMITERS: ReadonlyMap<string, string> = new Map([
  [",", '","'],
  [";", '";"'],
  ["\t", '"\\t"'],
  ["|", '"|"'],
]);

/** Checks that the first line is not the one that contains the file's delimiter for Excel. */
function assertNoInstruction(firstLine: string, delimiter: string): void {
  const [, written] = /^sep=(.)$/i.exec(firstLine) ?? [];
  if (written === undefined) return;
  const remedy =
    written === delimiter ? "it" : `it, and add --delimiter ${DELIMITERS.get(written) ?? `"${written}"`}`;
  throw new UsageError(
    `The first line, ${JSON.stringify(firstLine)}, only contains the delimiter, for Excel. Remove ${remedy}.`,
  );
}

/** Checks that no heading contains several headings, separated by another delimiter. */
function assertDelimited(headings: readonly string[], delimiter: string, columns: ColumnMapping): void {
  for (const other of DELIMITERS.keys()) {
    const several = headings.find(
      (heading) => heading.includes(other) && !Object.hasOwn(columns, heading.trim()),
    );
    const wrong = several === undefined ? undefined : wrongDelimiter(other, delimiter);
    if (wrong) throw wrong;
  }
}

/** The error if a first line separates its headings with a character that is a delimiter, but not the given one. */
export function wrongDelimiter(written: string, delimiter: string): UsageError | undefined {
  const option = DELIMITERS.get(written);
  if (option === undefined || written === delimiter) return undefined;
  return new UsageError(
    `The first line separates the column headings with ${option}, not with ${JSON.stringify(delimiter)}. Add --delimiter ${option}.`,
  );
}

/** The member that a column holds, by its name or mapping; undefined if it is left out. */
function nameOf(heading: string, mapping: ColumnMapping): string | undefined {
  return (Object.hasOwn(mapping, heading) ? mapping[heading] : heading) ?? undefined;
}

function columnOf(heading: string, mapping: ColumnMapping): Column | undefined {
  const name = nameOf(heading, mapping);
  const member = name === undefined ? undefined : memberAt(name);
  if (!member) return undefined;
  const { path, schema } = member;
  return { heading, path, convert: converterOf(schema), holdsJson: isContainer(schema) };
}

interface WrongColumn {
  readonly heading: string;
  /** Its position, from 1. */
  readonly number: number;
  readonly name: string;
  readonly isMapped: boolean;
  /** The member that the name resembles. */
  readonly like: string | undefined;
}

/** Checks that each column holds a member, and reports all that do not together. */
function assertMembers(headings: readonly string[], mapping: ColumnMapping): void {
  const wrong = headings.flatMap((heading, at): WrongColumn[] => {
    const name = nameOf(heading, mapping);
    if (name === undefined || memberAt(name)) return [];
    return [
      { heading, number: at + 1, name, isMapped: Object.hasOwn(mapping, heading), like: memberLike(name) },
    ];
  });
  if (wrong.length === 0) return;
  // The first line may be a row, whose cells are personal data: it contains an e-mail address, or nothing like a
  // member.
  const isRow = headings.some((heading) => heading.includes("@"));
  if (wrong.length === headings.length && (isRow || !wrong.some(({ isMapped, like }) => isMapped || like))) {
    throw new UsageError(
      "The first line contains no column of a candidate. It must contain the column headings, such as externalId and firstName; map other headings to members in a --columns file.",
    );
  }
  const [columns, are, them] =
    wrong.length === 1 ? ["The column", "is not a member", "it"] : ["The columns", "are not members", "them"];
  const unnamed = wrong.filter(({ heading }) => heading === "");
  const listed = wrong.filter((column) => column.heading !== "" || column === unnamed[0]);
  const named = listed.map((column) => described(column, unnamed)).join(", ");
  const sentence = `${columns} ${named} ${are} of a candidate. ${remedyFor(wrong, them)}`;
  throw new UsageError([sentence, unusedIn(mapping, headings)].filter(Boolean).join(" "));
}

function remedyFor(wrong: readonly WrongColumn[], them: string): string {
  if (wrong.every(({ isMapped }) => isMapped)) return "Correct the --columns file.";
  // Excel writes a column that once had content, or a format, although it is empty.
  if (wrong.every(({ heading }) => heading === "")) {
    return `Remove ${them}, or map "" to null in a --columns file.`;
  }
  return `Rename ${them}, or map ${them} in a --columns file.`;
}

function described({ heading, name, isMapped, like }: WrongColumn, unnamed: readonly WrongColumn[]): string {
  const notes = [
    heading === "" && numbersIn(unnamed),
    isMapped && `mapped to "${name}"`,
    like && `did you mean ${like}?`,
  ].filter(Boolean);
  return notes.length > 0 ? `"${heading}" (${notes.join("; ")})` : `"${heading}"`;
}

/** Excel may write thousands of columns beside the table. */
const NUMBERS_SHOWN = 5;

function numbersIn(columns: readonly WrongColumn[]): string {
  const shown = columns.slice(0, NUMBERS_SHOWN).map(({ number }) => number);
  const more = columns.length - shown.length;
  return `${columns.length === 1 ? "number" : "numbers"} ${shown.join(", ")}${more > 0 ? ` and ${more} more` : ""}`;
}

/** The mapping's headings that a file does not have, in a sentence: one of them may be misspelled. */
export function unusedIn(mapping: ColumnMapping, headings: readonly string[]): string | undefined {
  const names = new Set(headings.map((heading) => heading.trim()));
  const unused = Object.keys(mapping).filter((heading) => !names.has(heading));
  const named = unused.map((heading) => `"${heading}"`).join(", ");
  return unused.length > 0
    ? `The --columns file maps headings that the first line lacks: ${named}.`
    : undefined;
}

/** A number of twelve or more digits, as Excel writes it if its column is not formatted as text. */
const SHORTENED_NUMBER = /^\d(?:[.,]\d+)?E\+\d{2,}$/;

/** That a row has such a number, in a sentence: its last digits are lost, so that two `externalId`s may become one. */
export function shortenedNumberIn(
  cells: readonly string[] & { readonly number: number },
  headings: readonly string[],
  mapping: ColumnMapping,
): string | undefined {
  const heading = headings.find(
    (name, index) => mapping[name.trim()] !== null && SHORTENED_NUMBER.test(cells[index]?.trim() ?? ""),
  );
  return heading === undefined
    ? undefined
    : `Line ${cells.number} has a number that Excel has shortened, such as 1.23457E+11, in the column "${heading}". Format the column as text, and export the file again.`;
}

const BOOLEANS: ReadonlyMap<string, boolean> = new Map([
  ["true", true],
  ["false", false],
]);

/** A cell that does not match its member's type stays text. Validation then refuses it with its path. */
function converterOf(schema: Schema): (cell: string) => unknown {
  const types = [nonNullable(schema).type].flat();
  if (types.includes("number") || types.includes("integer")) {
    return (cell) => (JSON_NUMBER.test(cell.trim()) ? Number(cell) : cell);
  }
  if (types.includes("boolean")) {
    return (cell) => BOOLEANS.get(cell.trim().toLowerCase()) ?? cell;
  }
  return isContainer(schema) ? parsed : (cell) => cell;
}

function isContainer(schema: Schema): boolean {
  const types = [nonNullable(schema).type].flat();
  return types.includes("array") || types.includes("object");
}

function parsed(cell: string): unknown {
  try {
    const value = JSON.parse(cell);
    return isShallow(value) ? value : cell;
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
    if (other) {
      const remedy = other.heading === heading ? "" : ", or map it to null in a --columns file";
      throw new UsageError(
        `The columns "${other.heading}" and "${heading}" contain the same member. Remove one${remedy}.`,
      );
    }
  }
  const named = new Set(columns.map(({ path: [member] }) => member));
  const missing = REQUIRED_MEMBERS.filter((member) => !named.has(member));
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
