import type { Candidate } from "#candidates/candidate";
import type { PlatformCandidate } from "#candidates/candidate-commands";
import { handlesOf } from "#candidates/candidate-item";

/** A candidate as the platform sees it: where it stands, and nothing that a partner submitted. */
export function toPlatformCandidate({ digest, members, state }: Candidate): PlatformCandidate {
  return {
    ...handlesOf(digest, state),
    status: state.status,
    verificationStatus: state.verificationStatus ?? null,
    availabilityStatus: state.availabilityStatus ?? null,
    workReadinessScore: state.workReadinessScore ?? null,
    assessments: members.assessments?.length ?? 0,
    events: state.eventSequence,
    receivedAt: state.receivedAt,
    promotedAt: state.promotedAt ?? null,
    updatedAt: state.updatedAt,
  };
}
