import type { Candidate } from "#candidates/candidate";
import type { Change } from "#candidates/change";
import { REJECTIONS, withRejection } from "#candidates/rejections";
import { packAttributes } from "#candidates/store/item/candidate-item";
import { effectUpdate } from "#candidates/store/write/effect-update";
import type { ItemUpdate } from "#candidates/store/write/item-writes";
import type { WriteStamp } from "#candidates/store/write/write-stamp";

/** A change as an update of the version on which it was decided. */
export function changeUpdate(
  { effect, reasons, workReadinessScore, lists = {} }: Change,
  { state, rejections }: Candidate,
  stamp: WriteStamp,
): ItemUpdate {
  const { updatedAt, writeId } = stamp;
  const lifecycle = effectUpdate(effect, stamp, reasons);
  const rejected = effect?.addsRejection && {
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
      ...lifecycle.set,
    },
    assign: lifecycle.assign,
    remove: [...cleared, ...(workReadinessScore === null ? ["workReadinessScore"] : []), ...lifecycle.remove],
    conditions: [],
    values: lifecycle.values,
  };
}
