import { isShallow } from "../src/shallow.ts";
import { UsageError } from "../terminal/errors.ts";
import { linesOf } from "./lines.ts";
import { type Row, type RowContent, TOO_DEEP } from "./row.ts";
import type { Source } from "./source.ts";

/** The rows of a source in NDJSON, one for each line that is not blank. */
export async function* ndjsonRows(source: Source): AsyncGenerator<Row> {
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

function parseLine(line: string): RowContent {
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
