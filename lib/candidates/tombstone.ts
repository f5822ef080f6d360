/**
 * How long the tombstone of an erased candidate stays, in days. Longer than any backup: after a restore the
 * tombstones of the table before, and the first sequences of lives that began over them, say which erasures to
 * repeat (docs/operations.md).
 */
export const TOMBSTONE_DAYS = 100;
