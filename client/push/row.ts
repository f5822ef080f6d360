/** One row of a file. */
export interface Row {
  /** Its position, from 1: its line in NDJSON and CSV, its item in a JSON array. */
  readonly number: number;
  /** The approximate number of bytes of the file up to the end of this row. */
  readonly position: number;
  /** The value to submit, or the text itself if it cannot be read. */
  readonly value: unknown;
  /** Why the row cannot be read. */
  readonly problem?: string;
}
