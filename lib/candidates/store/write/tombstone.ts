import type { CandidateItem } from "#candidates/store/item/candidate-item";
import type { CandidateKey } from "#candidates/store/item/candidate-key";
import { ITEM_VERSION } from "#candidates/store/item/item-version";
import { newOutboxEvent } from "#candidates/store/item/outbox-event";
import type { ItemPut } from "#candidates/store/write/item-writes";
import type { WriteStamp } from "#candidates/store/write/write-stamp";
import { DAY } from "#runtime/durations";
import { timeToLive } from "#runtime/time-to-live";

/**
 * How long the tombstone of an erased candidate is kept, in days. Longer than any backup is kept: after a restore, the
 * erasures to repeat are found from the previous table, by its tombstones and by the `firstSequence` of candidates
 * that were created again (docs/operations.md).
 */
export const TOMBSTONE_DAYS = 100;

/** An erasure as a put of a tombstone that replaces exactly the version read: key, status, times and the event. */
export function tombstonePut(key: CandidateKey, seen: CandidateItem, stamp: WriteStamp): ItemPut {
  const { updatedAt, writeId } = stamp;
  const item = {
    ...key,
    status: "erased" as const,
    receivedAt: seen.receivedAt,
    updatedAt,
    promotedAt: seen.promotedAt,
    writeId,
    itemVersion: ITEM_VERSION,
    event: newOutboxEvent("candidate.erased", stamp),
    sequence: seen.sequence + 1,
    firstSequence: seen.firstSequence,
    deleteAfter: timeToLive(Date.parse(updatedAt) + TOMBSTONE_DAYS * DAY),
  };
  return { item, seen: ["updatedAt", seen.updatedAt] };
}
