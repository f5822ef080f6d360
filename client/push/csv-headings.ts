import { UsageError } from "../terminal/errors.ts";
import type { ColumnMapping, CsvLayout } from "./csv-layout.ts";
import { type Member, memberAt, memberLike, REQUIRED_MEMBERS } from "./members.ts";

/** As many as a sheet of Excel has ("Excel specifications and limits"). */
const MOST_COLUMNS = 16_384;

/** The member that a column holds. */
export interface ColumnMember extends Member {
  readonly heading: string;
}

/**
 * The members that the columns hold, in the order of the columns; undefined for a column that is left out. A heading is
 * the path of a member, such as `address.city` or `skills[0].name`, or is mapped to one.
 *
 * @throws UsageError if the headings are not those of candidates
 */
export function columnMembers(
  headings: readonly string[],
  { delimiter, columns }: CsvLayout,
): readonly (ColumnMember | undefined)[] {
  assertFewEnough(headings.length);
  assertNoInstruction(headings.join(delimiter), delimiter);
  assertDelimited(headings, delimiter, columns);
  const names = headings.map((heading) => heading.trim());
  assertMembers(names, columns);
  const members = names.map((heading) => memberIn(heading, columns));
  assertWhole(members.filter((member) => member !== undefined));
  return members;
}

/** The characters that programs write between cells, and how to pass them to `--delimiter`. */
const DELIMITERS: ReadonlyMap<string, string> = new Map([
  [",", '","'],
  [";", '";"'],
  ["\t", '"\\t"'],
  ["|", '"|"'],
]);

/** Headings are compared with each other: ten times as many would take minutes, in which Ctrl-C has no effect. */
function assertFewEnough(count: number): void {
  if (count <= MOST_COLUMNS) return;
  throw new UsageError(
    `The first line has ${count.toLocaleString("en")} columns, more than the ${MOST_COLUMNS.toLocaleString("en")} of an Excel sheet. Check its line ends, or put whole lists into columns, as JSON.`,
  );
}

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

function memberIn(heading: string, mapping: ColumnMapping): ColumnMember | undefined {
  const name = nameOf(heading, mapping);
  const member = name === undefined ? undefined : memberAt(name);
  return member && { heading, ...member };
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

/** Checks that no member has two columns, and that each required one has a column. */
function assertWhole(columns: readonly ColumnMember[]): void {
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
