import { UsageError } from "../terminal/errors.ts";
import type { CsvLayout } from "./csv-layout.ts";
import { csvRows, type Note } from "./csv-rows.ts";
import type { Format } from "./format.ts";
import { jsonRows } from "./json-rows.ts";
import { ndjsonRows } from "./ndjson-rows.ts";
import type { Row } from "./row.ts";
import type { Source } from "./source.ts";

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
