/** The outcomes of the rows so far. */
export interface Tally {
  /** Done or refused by an earlier run. */
  skipped: number;
  /** Of these, refused by an earlier run. */
  skippedRefused: number;
  created: number;
  /** Existed already, left unchanged or, with `--update`, the same already. */
  unchanged: number;
  /** Existed already, amended. */
  amended: number;
  /** Existed already, differs from its row only in members that an amend cannot change. */
  kept: number;
  /** Valid in a dry run. */
  valid: number;
  refused: number;
  /** Neither refused nor done: the service failed. */
  failed: number;
  /** The members that an amend cannot change, each with the number of rows that differ in it. */
  readonly differing: Map<string, number>;
  /**
   * The members that were neither compared nor changed, each with the number of rows of existing candidates with it.
   */
  readonly uncompared: Map<string, number>;
  /** The approximate number of bytes of the file that these rows take. */
  bytes: number;
  /** How many of those bytes an earlier run processed. */
  skippedBytes: number;
}

export function emptyTally(): Tally {
  return {
    skipped: 0,
    skippedRefused: 0,
    created: 0,
    unchanged: 0,
    amended: 0,
    kept: 0,
    valid: 0,
    refused: 0,
    failed: 0,
    differing: new Map(),
    uncompared: new Map(),
    bytes: 0,
    skippedBytes: 0,
  };
}

/** The number of rows that this run has processed. */
export function processedRows(tally: Tally): number {
  const { created, unchanged, amended, kept, valid, refused, failed } = tally;
  return created + unchanged + amended + kept + valid + refused + failed;
}
