/** What has become of the rows so far. */
export interface Tally {
  /** Done by an earlier run. */
  skipped: number;
  created: number;
  /** There already, and left as they are. */
  unchanged: number;
  /** There already, and amended. */
  amended: number;
  /** Found valid by a dry run. */
  valid: number;
  refused: number;
  /** Not refused, but not done either: the service failed at them. */
  failed: number;
  /** How many bytes of the file, about, are dealt with. */
  position: number;
  /** How many of them an earlier run has dealt with: what it has not done yet comes after them. */
  skippedPosition: number;
}

export function emptyTally(): Tally {
  return {
    skipped: 0,
    created: 0,
    unchanged: 0,
    amended: 0,
    valid: 0,
    refused: 0,
    failed: 0,
    position: 0,
    skippedPosition: 0,
  };
}

/** The rows that this run has dealt with. */
export function dealtWith({ created, unchanged, amended, valid, refused, failed }: Tally): number {
  return created + unchanged + amended + valid + refused + failed;
}
