import type { Candidate } from "#candidates/candidate";
import type { Change } from "#candidates/change";
import { firing, type WriteStamp } from "#candidates/lifecycle";
import { REJECTIONS, withRejection } from "#candidates/rejections";
import { type CandidateItem, packAttributes } from "#candidates/store/item/candidate-item";
import type { CandidateKey } from "#candidates/store/item/candidate-key";
import { ITEM_VERSION } from "#candidates/store/item/item-version";
import { effectUpdate } from "#candidates/store/write/effect-update";
import type { ItemPut, ItemUpdate } from "#candidates/store/write/item-writes";
import { TOMBSTONE_DAYS } from "#candidates/tombstone";

/** A change as an update of the version on which it was decided. */
export function changeUpdate(
  { effect, reasons, workReadinessScore, lists = {} }: Change,
  { state, rejections }: Candidate,
  stamp: WriteStamp,
): ItemUpdate {
  const { updatedAt, writeId } = stamp;
  const step = effect && effectUpdate(effect, stamp, reasons);
  const rejected = effect?.event === "candidate.validation_failed" && {
    [REJECTIONS]: withRejection(rejections, {
      sequence: state.sequence + 1,
      occurredAt: updatedAt,
      reasons: reasons ?? [],
    }),
  };
  const { attributes, cleared } = packAttributes({ ...lists, ...rejected });
  return {
    set: {
      updatedAt,
      writeId,
      ...attributes,
      ...(typeof workReadinessScore === "number" && { workReadinessScore }),
      ...step?.set,
    },
    assign: step?.assign ?? {},
    remove: [
      ...cleared,
      ...(workReadinessScore === null ? ["workReadinessScore"] : []),
      ...(step?.remove ?? ["event"]),
    ],
    conditions: [],
    values: step?.values ?? {},
  };
}

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
    event: firing("candidate.erased", stamp),
    sequence: seen.sequence + 1,
    firstSequence: seen.firstSequence,
    deleteAfter: Math.floor(Date.parse(updatedAt) / 1000) + TOMBSTONE_DAYS * 24 * 60 * 60,
  };
  return { item, seen: ["updatedAt", seen.updatedAt] };
}
