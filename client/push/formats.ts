import { type Duplex, pipeline, Readable } from "node:stream";
import { CsvError, parse } from "csv-parse";
import { streamArray } from "stream-json/streamers/stream-array.js";
import { DEEPEST, isShallow } from "../src/shallow.ts";
import { CommandError, UsageError } from "../terminal/errors.ts";
import {
  type CsvLayout,
  shortenedNumberIn,
  submissionReader,
  unusedIn,
  wrongDelimiter,
} from "./csv-columns.ts";
import { CsvLines, LINE_ENDS } from "./csv-lines.ts";
import { JsonPlace, jsonProblemOf } from "./json-problem.ts";
import { LONGEST_LINE, linesOf } from "./lines.ts";
import type { Row } from "./row.ts";
import { compressed, type Source, workbook } from "./source.ts";

const TOO_DEEP = `the row is nested more than ${DEEPEST} levels deep`;

export const FORMATS = ["ndjson", "json", "csv"] as const;
export type Format = (typeof FORMATS)[number];

/** The unit that a row's number counts. */
export const ROW_UNIT = { ndjson: "line", json: "item", csv: "line" } as const;

const FORMAT_OF_EXTENSION: Readonly<Record<string, Format>> = {
  ndjson: "ndjson",
  jsonl: "ndjson",
  json: "json",
  csv: "csv",
};

const WORKBOOK_EXTENSIONS: ReadonlySet<string> = new Set(["ods", "xls", "xlsm", "xlsx"]);
const COMPRESSED_EXTENSIONS: ReadonlySet<string> = new Set(["gz", "zip"]);

/** The format, by the extension of a file name. */
export function formatOf(file: string): Format {
  const extension = file.toLowerCase().match(/\.(\w+)$/)?.[1] ?? "";
  const format = FORMAT_OF_EXTENSION[extension];
  if (format) return format;
  if (WORKBOOK_EXTENSIONS.has(extension)) throw workbook(file);
  if (COMPRESSED_EXTENSIONS.has(extension)) throw compressed(file);
  const what = file === "-" ? "Standard input" : `The name ${file}`;
  throw new UsageError(`${what} does not show the format. Add --format ndjson, json or csv.`);
}

/** Passes on a sentence for the user about the source. */
type Note = (sentence: string) => void;

/**
 * The rows of a source, read on demand.
 *
 * @throws UsageError if it has none, or another format
 */
export async function* readRows(
  source: Source,
  format: Format,
  layout: CsvLayout,
  note: Note,
): AsyncGenerator<Row> {
  let isEmpty = true;
  for await (const row of rowsIn(source, format, layout, note)) {
    isEmpty = false;
    yield row;
  }
  if (isEmpty) throw new UsageError(`${source.name} has no rows. Give a file with at least one candidate.`);
}

function rowsIn(source: Source, format: Format, layout: CsvLayout, note: Note): AsyncGenerator<Row> {
  switch (format) {
    case "ndjson":
      return ndjsonRows(source);
    case "json":
      return jsonRows(source);
    case "csv":
      return csvRows(source, layout, note);
  }
}

async function* ndjsonRows(source: Source): AsyncGenerator<Row> {
  let number = 0;
  let bytes = 0;
  let isFirst = true;
  for await (const line of linesOf(source.text())) {
    number += 1;
    bytes += Buffer.byteLength(line) + 1;
    if (line.trim() === "") continue;
    const row = parseLine(line);
    if (isFirst && (row.problem !== undefined || Array.isArray(row.value))) assertObject(line, source.name);
    isFirst = false;
    yield { number, bytes, ...row };
    bytes = 0;
  }
}

function parseLine(line: string): Pick<Row, "value" | "problem"> {
  try {
    const value = JSON.parse(line);
    return isShallow(value) ? { value } : { value: line, problem: TOO_DEEP };
  } catch {
    return { value: line, problem: "the line is not JSON" };
  }
}

/** Refuses a file of another format, all of whose lines would be refused. */
function assertObject(line: string, name: string): void {
  const beginning = line.trimStart();
  if (beginning.startsWith("{")) return;
  const [what, format] = beginning.startsWith("[") ? ["a JSON array", "json"] : ["CSV", "csv"];
  throw new UsageError(
    `${name} is not NDJSON: its first line is not a JSON object. If it is ${what}, add --format ${format}.`,
  );
}

/**
 * What a parser reads from a text. Not with `compose`, which passes on no objects in the first releases of Node.js 20.
 */
function parsed(text: AsyncIterable<string>, parser: Duplex): Duplex {
  // The parser's reader gets the error.
  return pipeline(Readable.from(text), parser, () => {});
}

async function* jsonRows(source: Source): AsyncGenerator<Row> {
  let beginning = "";
  // It takes as long as the parser does. A file is read again for it instead, once the parser has failed.
  const place = source.size === undefined ? new JsonPlace() : undefined;
  const text = async function* () {
    for await (const chunk of source.text()) {
      beginning ||= chunk.trimStart().charAt(0);
      place?.note(chunk);
      yield chunk;
    }
  };
  const items = parsed(text(), streamArray.withParserAsStream());
  let position = 0;
  try {
    for await (const { key, value } of items as AsyncIterable<{ key: number; value: unknown }>) {
      const row = isShallow(value) ? { value } : { value: shallowPartOf(value), problem: TOO_DEEP };
      yield { number: key + 1, bytes: source.bytesRead - position, ...row };
      position = source.bytesRead;
    }
  } catch (cause) {
    if (cause instanceof CommandError) throw cause;
    if (beginning === "") return;
    if (beginning !== "[") throw notJson(source.name, beginning);
    const problem = await jsonProblemOf(cause as Error, source, place);
    throw new CommandError(`${source.name} is not a valid JSON array: ${problem}`, {
      cause,
      correct: "file",
    });
  }
}

/** An item without the members that are nested too deeply. */
function shallowPartOf(value: unknown): unknown {
  if (typeof value !== "object" || value === null || Array.isArray(value)) return undefined;
  return Object.fromEntries(Object.entries(value).filter(([, member]) => isShallow(member, DEEPEST - 1)));
}

function notJson(name: string, beginning: string): UsageError {
  return new UsageError(
    beginning === "{"
      ? `${name} is not a valid JSON array: it begins with an object. Put the candidates between [ and ], separated by commas. If each line contains an object, add --format ndjson.`
      : `${name} is not a valid JSON array: it does not begin with [. If it has another format, add --format ndjson or csv.`,
  );
}

/** Passes on the text of a CSV file, unless it is JSON, in which the parser would complain about quotes. */
async function* csvText(source: Source, { columns }: CsvLayout): AsyncGenerator<string> {
  let beginning = "";
  for await (const chunk of source.text()) {
    if (beginning === "") {
      beginning = chunk.trimStart().charAt(0);
      const isHeading = Object.keys(columns).some((heading) => heading.startsWith(beginning));
      if ((beginning === "{" || beginning === "[") && !isHeading) throw notCsv(source.name, beginning);
    }
    yield chunk;
  }
}

function notCsv(name: string, beginning: "{" | "["): UsageError {
  const [what, format] =
    beginning === "[" ? ["it is a JSON array", "json"] : ["each line contains a JSON object", "ndjson"];
  return new UsageError(
    `${name} is not CSV: it begins with ${beginning}. If ${what}, add --format ${format}.`,
  );
}

async function* csvRows(source: Source, layout: CsvLayout, note: Note): AsyncGenerator<Row> {
  const lines = new CsvLines();
  let headings: readonly string[] | undefined;
  const records = parsed(
    csvText(source, layout),
    parse({
      cast: (cell, position) => {
        lines.noteCell(cell, position);
        return cell;
      },
      delimiter: layout.delimiter,
      max_record_size: LONGEST_LINE,
      on_record: (cells: string[], { bytes }) => {
        if (cells.some((cell) => cell.trim() !== "")) headings ??= cells;
        return Object.assign(cells, { number: lines.firstLineOf(cells), end: bytes });
      },
      // By default only the line end of the first row ends rows, and a part of another one stays in the last cell.
      record_delimiter: [...LINE_ENDS],
      relax_column_count: true,
      skip_empty_lines: true,
    }),
  ) as AsyncIterable<string[] & { readonly number: number; readonly end: number }>;
  let read: ((cells: readonly string[]) => Pick<Row, "value" | "problem">) | undefined;
  let position = 0;
  let shortened: string | undefined;
  try {
    for await (const record of records) {
      const { number, end } = record;
      // Excel writes a blank row as delimiters alone. The parser's own option would make it count lines wrongly.
      if (record.every((cell) => cell.trim() === "")) continue;
      if (read) {
        shortened ??= shortenedNumberIn(record, headings ?? [], layout.columns);
        yield { number, bytes: end - position, ...read(record) };
      } else {
        read = submissionReader(record, layout);
        const unused = unusedIn(layout.columns, record);
        if (unused) note(unused);
      }
      position = end;
    }
    if (shortened) note(shortened);
  } catch (cause) {
    if (!(cause instanceof CsvError)) throw cause;
    // The parser drops what it has read when it fails. Another delimiter also makes quotes look wrong.
    if (!read && headings) submissionReader(headings, layout);
    // The parser found this character after a quoted heading, where a delimiter is expected.
    const [, written = ""] = (!read && /got "(.)"/.exec(cause.message)) || [];
    const wrong = wrongDelimiter(written, layout.delimiter);
    if (wrong) throw wrong;
    throw new CommandError(`${source.name} is not valid CSV: ${lines.problemOf(cause)}`, {
      cause,
      correct: "file",
    });
  }
}
