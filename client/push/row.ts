/** One row of a file. */
export interface Row {
  /** Where it stands, from 1: its line in NDJSON and CSV, its item in a JSON array. */
  readonly number: number;
  /** How many bytes of the file, about, end with it. */
  readonly position: number;
  /** What is to be submitted; the text itself where it cannot be read. */
  readonly value: unknown;
  /** Why it cannot be read. */
  readonly problem?: string;
}
