import { Readable } from "node:stream";
import { CsvError, parse } from "csv-parse";
import { streamArray } from "stream-json/streamers/stream-array.js";
import { type CsvLayout, submissionReader } from "./csv-columns.ts";
import { CommandError, UsageError } from "./errors.ts";
import { LONGEST_LINE, linesOf } from "./lines.ts";
import type { Row } from "./row.ts";
import type { Source } from "./source.ts";

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

/** The format, by the extension of a file name. */
export function formatOf(file: string): Format {
  const format = FORMAT_OF_EXTENSION[file.toLowerCase().match(/\.(\w+)$/)?.[1] ?? ""];
  if (format) return format;
  const what = file === "-" ? "Standard input" : `The name ${file}`;
  throw new UsageError(`${what} does not show the format. Add --format ndjson, json or csv.`);
}

/** The rows of a source, read on demand. */
export function readRows(source: Source, format: Format, layout: CsvLayout): AsyncGenerator<Row> {
  switch (format) {
    case "ndjson":
      return ndjsonRows(source);
    case "json":
      return jsonRows(source);
    case "csv":
      return csvRows(source, layout);
  }
}

async function* ndjsonRows(source: Source): AsyncGenerator<Row> {
  let number = 0;
  let position = 0;
  for await (const line of linesOf(source.text())) {
    number += 1;
    position += Buffer.byteLength(line) + 1;
    if (line.trim() !== "") yield { number, position, ...parseLine(line) };
  }
}

function parseLine(line: string): Pick<Row, "value" | "problem"> {
  try {
    return { value: JSON.parse(line) };
  } catch {
    return { value: line, problem: "the line is not JSON" };
  }
}

async function* jsonRows(source: Source): AsyncGenerator<Row> {
  const items = Readable.from(source.text()).compose(streamArray.withParserAsStream());
  try {
    for await (const { key, value } of items as AsyncIterable<{ key: number; value: unknown }>) {
      yield { number: key + 1, position: source.bytesRead, value };
    }
  } catch (cause) {
    if (cause instanceof CommandError) throw cause;
    throw new CommandError(`${source.name} is not a JSON array from about byte ${source.bytesRead} on.`, {
      cause,
    });
  }
}

async function* csvRows(source: Source, layout: CsvLayout): AsyncGenerator<Row> {
  const records = Readable.from(source.text()).compose(
    parse({
      delimiter: layout.delimiter,
      info: true,
      max_record_size: LONGEST_LINE,
      relax_column_count: true,
      skip_empty_lines: true,
    }),
  ) as AsyncIterable<{ record: string[]; info: { lines: number; bytes: number } }>;
  let read: ((cells: readonly string[]) => Pick<Row, "value" | "problem">) | undefined;
  try {
    for await (const { record, info } of records) {
      if (read) yield { number: firstLineOf(record, info.lines), position: info.bytes, ...read(record) };
      else read = submissionReader(record, layout);
    }
  } catch (cause) {
    if (!(cause instanceof CsvError)) throw cause;
    // The library's own message contains the cell.
    throw new CommandError(
      `${source.name} is not valid CSV at line ${String(cause["lines"])} (${cause.code}). Quote cells that contain quotes, delimiters or line breaks.`,
    );
  }
  if (!read)
    throw new UsageError(`${source.name} is empty. Its first line must contain the column headings.`);
}

/** The first line of a record. It may end on a later one, because cells may contain line breaks. */
function firstLineOf(record: readonly string[], lastLine: number): number {
  return lastLine - record.reduce((lineEnds, cell) => lineEnds + cell.split("\n").length - 1, 0);
}
