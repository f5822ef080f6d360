import type { Effect } from "#candidates/lifecycle";
import { firing } from "#candidates/store/item/outbox-event";
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

/**
 * A lifecycle transition as a part of an update: the statuses, and its event in the outbox, which increments the
 * sequence.
 */
export function effectUpdate(
  { event, status, availabilityStatus, verificationStatus, withdrawsConsent, setsPromotedAt }: Effect,
  stamp: WriteStamp,
  reasons?: readonly Reason[],
): Required<Pick<Update, "set" | "assign" | "remove" | "values">> {
  const restores = status === "before revocation";
  return {
    set: {
      ...(!restores && { status }),
      ...(availabilityStatus && { availabilityStatus }),
      ...(verificationStatus && { verificationStatus }),
      ...(withdrawsConsent && { consentGiven: false }),
      ...(setsPromotedAt && { promotedAt: stamp.updatedAt }),
      event: firing(event, stamp, reasons),
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
