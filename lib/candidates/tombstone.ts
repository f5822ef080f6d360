/**
 * How long the tombstone of an erased candidate is kept, in days. Longer than any backup: after a restore, the
 * tombstones in the previous table, and the first sequences of lives that replaced them, determine the erasures to
 * repeat (docs/operations.md).
 */
export const TOMBSTONE_DAYS = 100;
