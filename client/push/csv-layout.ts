import { readFile } from "node:fs/promises";
import * as z from "zod/mini";
import { UsageError } from "../terminal/errors.ts";
import type { Format } from "./format.ts";

const CSV_OPTIONS = ["columns", "delimiter", "null"] as const;

/** The options of the command that are for CSV. */
export type CsvOptions = { readonly [Name in (typeof CSV_OPTIONS)[number]]?: string };

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

/**
 * The layout that the options describe.
 *
 * @throws UsageError if another format is given options for CSV, which would have no effect
 */
export async function layoutOf(format: Format, options: CsvOptions): Promise<CsvLayout> {
  const { columns, delimiter = ",", null: nullText } = options;
  const given = CSV_OPTIONS.filter((name) => options[name] !== undefined).map((name) => `--${name}`);
  if (format !== "csv" && given.length > 0) {
    throw new UsageError(
      `${given.join(", ")}: this is for CSV, but the format is ${format}. Leave it out, or add --format csv.`,
    );
  }
  return { delimiter, nullText, columns: columns === undefined ? {} : await readMapping(columns) };
}

async function readMapping(file: string): Promise<ColumnMapping> {
  const bytes = await readFile(file).catch((cause: NodeJS.ErrnoException) => {
    throw new UsageError(`${file} cannot be read (${cause.code}). Give a file that you may read.`, { cause });
  });
  try {
    // Skips a byte order mark.
    return ColumnMapping.parse(JSON.parse(new TextDecoder("utf-8", { fatal: true }).decode(bytes)));
  } catch (cause) {
    throw new UsageError(
      `${file} is not a column mapping. Write a JSON object of headings and members in UTF-8, such as {"E-mail": "email", "Notes": null}.`,
      { cause },
    );
  }
}
