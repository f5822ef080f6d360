import { isShallow } from "../src/shallow.ts";
import { type ColumnMember, columnMembers } from "./csv-headings.ts";
import type { ColumnMapping, CsvLayout } from "./csv-layout.ts";
import { lineEndsIn } from "./csv-lines.ts";
import { nonNullable, type Path, type Schema } from "./members.ts";
import type { RowContent } from "./row.ts";

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
 * Converts the cells of a line to a submission. A column for a whole list or object contains JSON. An empty cell is an
 * absent member.
 *
 * @throws UsageError if the headings are not those of candidates
 */
export function submissionReader(headings: readonly string[], layout: CsvLayout) {
  const { nullText } = layout;
  const read = columnMembers(headings, layout).map((member) => member && columnOf(member));
  return (cells: readonly string[]): RowContent => {
    if (cells.length !== headings.length) {
      return {
        // No member is read, because it is unknown to which of them a cell belongs.
        value: { cells },
        problem: `the row has ${cells.length} ${cells.length === 1 ? "cell" : "cells"}, but ${headings.length} are expected${spanNote(cells)}`,
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
function spanNote(cells: readonly string[]): string {
  const lineEnds = lineEndsIn(cells);
  return lineEnds > 0 ? `. It spans ${lineEnds + 1} lines: check its quotes` : "";
}

function columnOf({ heading, path, schema }: ColumnMember): Column {
  return { heading, path, convert: converterOf(schema), holdsJson: isContainer(schema) };
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
