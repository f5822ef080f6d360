import { CsvError, parse } from "csv-parse";
import { CommandError, UsageError } from "../terminal/errors.ts";
import { shortenedNumberIn, submissionReader } from "./csv-columns.ts";
import { unusedIn, wrongDelimiter } from "./csv-headings.ts";
import type { CsvLayout } from "./csv-layout.ts";
import { CsvLines, LINE_ENDS } from "./csv-lines.ts";
import { LONGEST_LINE } from "./lines.ts";
import { parseText } from "./parse-text.ts";
import type { Row, RowContent } from "./row.ts";
import type { Source } from "./source.ts";

/** Passes on a sentence for the user about the source. */
export type Note = (sentence: string) => void;

/** The rows of a source in CSV, one for each line below the headings that is not blank. */
export async function* csvRows(source: Source, layout: CsvLayout, note: Note): AsyncGenerator<Row> {
  const lines = new CsvLines();
  let headings: readonly string[] | undefined;
  const records = parseText(
    csvText(source, layout),
    parse({
      cast: (cell, position) => {
        lines.noteCell(cell, position);
        return cell;
      },
      delimiter: layout.delimiter,
      max_record_size: LONGEST_LINE,
      on_record: (cells: string[], { bytes }) => {
        if (!isBlank(cells)) headings ??= cells;
        return Object.assign(cells, { number: lines.firstLineOf(cells), end: bytes });
      },
      // By default only the line end of the first row ends rows, and a part of another one stays in the last cell.
      record_delimiter: [...LINE_ENDS],
      relax_column_count: true,
      skip_empty_lines: true,
    }),
  ) as AsyncIterable<string[] & { readonly number: number; readonly end: number }>;
  let read: ((cells: readonly string[]) => RowContent) | undefined;
  let position = 0;
  let shortened: string | undefined;
  try {
    for await (const record of records) {
      const { number, end } = record;
      if (isBlank(record)) continue;
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
    const [, written = ""] = (!headings && /got "(.)"/.exec(cause.message)) || [];
    const wrong = wrongDelimiter(written, layout.delimiter);
    if (wrong) throw wrong;
    throw new CommandError(`${source.name} is not valid CSV: ${lines.problemOf(cause)}`, {
      cause,
      correct: "file",
    });
  }
}

/** As Excel writes a blank row: delimiters alone. The parser's own option would make it count lines wrongly. */
function isBlank(cells: readonly string[]): boolean {
  return cells.every((cell) => cell.trim() === "");
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
