/**
 * How long the tombstone of an erased candidate is kept, in days. Longer than any backup is kept: after a restore, the
 * erasures to repeat are found from the previous table, by its tombstones and by the `firstSequence` of candidates
 * that were created again (docs/operations.md).
 */
export const TOMBSTONE_DAYS = 100;
