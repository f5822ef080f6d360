import { handlesOf } from "#candidates/handles";
import {
  consentRevoked,
  erased,
  promoted,
  received,
  validationFailed,
  verified,
} from "#candidates/lifecycle";
import { CandidateEvent, type CandidateEventType, CONTRACT_VERSION } from "#contract/events";
import { newEventId } from "#contract/identifiers";
import type { Runtime } from "#runtime/runtime";

/** What the sample candidate went through: its creation, then what led to the event. */
const STATUSES = {
  "candidate.received": received,
  "candidate.verified": { ...received, ...verified },
  "candidate.promoted": { ...received, ...verified, ...promoted },
  "candidate.validation_failed": { ...received, ...validationFailed },
  "candidate.consent_revoked": { ...received, ...consentRevoked },
  "candidate.consent_restored": received,
  "candidate.erased": { ...received, ...erased },
} as const satisfies Record<CandidateEventType, object>;

/** A sample event about an invented candidate, marked as a sample. */
export function sampleCandidateEvent(
  type: CandidateEventType,
  sources: Pick<Runtime, "now" | "randomBytes">,
): CandidateEvent {
  const now = sources.now();
  const handles = handlesOf("0".repeat(26), {
    promotedAt: "setsPromotedAt" in STATUSES[type] ? now.toISOString() : undefined,
  });
  const { status, verificationStatus, availabilityStatus } = STATUSES[type];
  return CandidateEvent.parse({
    id: newEventId(sources),
    type,
    apiVersion: CONTRACT_VERSION,
    occurredAt: now.toISOString(),
    sequence: 1,
    sample: true,
    data: {
      ...handles,
      status,
      ...(type !== "candidate.erased" && { externalId: "sample", verificationStatus, availabilityStatus }),
      ...(type === "candidate.validation_failed" && {
        reasons: [{ code: "sample", message: "A sample reason." }],
      }),
    },
  });
}
