import { UsageError } from "../terminal/errors.ts";
import type { RowUnit } from "./row.ts";
import { compressed, workbook } from "./source.ts";

export const FORMATS = ["ndjson", "json", "csv"] as const;
export type Format = (typeof FORMATS)[number];

export const ROW_UNIT: Readonly<Record<Format, RowUnit>> = { ndjson: "line", json: "item", csv: "line" };

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
