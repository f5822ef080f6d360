import { type Duplex, pipeline, Readable } from "node:stream";
import { CsvError, parse } from "csv-parse";
import { streamArray } from "stream-json/streamers/stream-array.js";
import { CommandError, UsageError } from "../terminal/errors.ts";
import { type CsvLayout, submissionReader } from "./csv-columns.ts";
import { CsvLines } from "./csv-lines.ts";
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
  let bytes = 0;
  for await (const line of linesOf(source.text())) {
    number += 1;
    bytes += Buffer.byteLength(line) + 1;
    if (line.trim() === "") continue;
    yield { number, bytes, ...parseLine(line) };
    bytes = 0;
  }
}

function parseLine(line: string): Pick<Row, "value" | "problem"> {
  try {
    return { value: JSON.parse(line) };
  } catch {
    return { value: line, problem: "the line is not JSON" };
  }
}

/** What a parser reads from a source. Not with `compose`, which passes on no objects in the first releases of Node.js 20. */
function parsed(source: Source, parser: Duplex): Duplex {
  // The parser's reader gets the error.
  return pipeline(Readable.from(source.text()), parser, () => {});
}

async function* jsonRows(source: Source): AsyncGenerator<Row> {
  const items = parsed(source, streamArray.withParserAsStream());
  let position = 0;
  try {
    for await (const { key, value } of items as AsyncIterable<{ key: number; value: unknown }>) {
      yield { number: key + 1, bytes: source.bytesRead - position, value };
      position = source.bytesRead;
    }
  } catch (cause) {
    if (cause instanceof CommandError) throw cause;
    throw new CommandError(
      `${source.name} is not a valid JSON array: the error is near byte ${source.bytesRead}.`,
      {
        cause,
        correct: "file",
      },
    );
  }
}

async function* csvRows(source: Source, layout: CsvLayout): AsyncGenerator<Row> {
  const lines = new CsvLines();
  const records = parsed(
    source,
    parse({
      cast: (cell, position) => {
        lines.noteCell(cell, position);
        return cell;
      },
      delimiter: layout.delimiter,
      max_record_size: LONGEST_LINE,
      on_record: (cells: string[], { bytes }) =>
        Object.assign(cells, { number: lines.firstLineOf(cells), end: bytes }),
      relax_column_count: true,
      skip_empty_lines: true,
    }),
  ) as AsyncIterable<string[] & { readonly number: number; readonly end: number }>;
  let read: ((cells: readonly string[]) => Pick<Row, "value" | "problem">) | undefined;
  let position = 0;
  try {
    for await (const record of records) {
      const { number, end } = record;
      if (read) yield { number, bytes: end - position, ...read(record) };
      else read = submissionReader(record, layout);
      position = end;
    }
  } catch (cause) {
    if (!(cause instanceof CsvError)) throw cause;
    throw new CommandError(`${source.name} is not valid CSV: ${lines.problemOf(cause)}`, {
      cause,
      correct: "file",
    });
  }
  if (!read)
    throw new UsageError(`${source.name} is empty. Its first line must contain the column headings.`);
}
