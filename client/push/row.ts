import { DEEPEST } from "../src/shallow.ts";

/** What is read of a row. */
export interface RowContent {
  /** The value to submit, or the text itself if it cannot be read. */
  readonly value: unknown;
  /** Why the row cannot be read. */
  readonly problem?: string;
}

/** One row of a file. */
export interface Row extends RowContent {
  /** Its position, from 1, in {@link RowUnit}s. */
  readonly number: number;
  /** The approximate number of bytes of the file from the end of the previous row to the end of this one. */
  readonly bytes: number;
}

/** What a row's number counts: lines of NDJSON and CSV, items of a JSON array. */
export type RowUnit = "line" | "item";

/** The problem of a row that is nested too deeply to be processed. */
export const TOO_DEEP = `the row is nested more than ${DEEPEST} levels deep`;

/** A number of rows, in words: "1 row", "2,000 rows". */
export function rowsInWords(rows: number): string {
  return `${rows.toLocaleString("en")} ${rows === 1 ? "row" : "rows"}`;
}

/** The `externalId` of a row's value, if it has one. */
export function externalIdOf(value: unknown): string | undefined {
  if (typeof value !== "object" || value === null || !("externalId" in value)) return undefined;
  return typeof value.externalId === "string" ? value.externalId : undefined;
}
