import type { Effect } from "#candidates/lifecycle";
import { newOutboxEvent } from "#candidates/store/item/outbox-event";
import type { WriteStamp } from "#candidates/store/write/write-stamp";
import type { Reason } from "#contract/reason";
import type { Update } from "#runtime/update-expression";

/** The statuses before consent was revoked, kept so that they can be restored when consent is given again. */
const REMEMBER = {
  statusBeforeRevocation: "#status",
  availabilityStatusBeforeRevocation: "#availabilityStatus",
};
const RESTORE = {
  status: "#statusBeforeRevocation",
  availabilityStatus: "#availabilityStatusBeforeRevocation",
};

type EffectUpdate = Required<Pick<Update, "set" | "assign" | "remove" | "values">>;

/** An `event` that stayed in the item would be published again with the next write. */
const NO_EFFECT: EffectUpdate = { set: {}, assign: {}, remove: ["event"], values: {} };

/**
 * What a write does to the lifecycle, as a part of its update: a transition sets the statuses, and its event in the
 * outbox, which increments the sequence. A write without a transition fires no event.
 */
export function effectUpdate(
  effect: Effect | undefined,
  stamp: WriteStamp,
  reasons?: readonly Reason[],
): EffectUpdate {
  if (!effect) return NO_EFFECT;
  const { event, status, availabilityStatus, verificationStatus, withdrawsConsent, setsPromotedAt } = effect;
  const restores = status === "before revocation";
  return {
    set: {
      ...(!restores && { status }),
      ...(availabilityStatus && { availabilityStatus }),
      ...(verificationStatus && { verificationStatus }),
      ...(withdrawsConsent && { consentGiven: false }),
      ...(setsPromotedAt && { promotedAt: stamp.updatedAt }),
      event: newOutboxEvent(event, stamp, reasons),
    },
    assign: {
      ...(restores && RESTORE),
      ...(withdrawsConsent && REMEMBER),
      sequence: "#sequence + :one",
    },
    remove: restores ? Object.keys(REMEMBER) : [],
    values: { ":one": 1 },
  };
}
