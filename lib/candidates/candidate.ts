import type { PlatformAssessment } from "#candidates/assessments";
import type { AvailabilityStatus, CandidateStatus, VerificationStatus } from "#contract/candidate-status";
import type { CandidateSubmission } from "#contract/candidate-submission";
import type { Reason } from "#contract/events";

/** What a partner submitted and amended. Lists that are empty and members that are null are absent. */
export type CandidateMembers = Partial<Omit<CandidateSubmission, "consentGiven">> & {
  readonly consentGiven?: boolean;
};

/** What the platform keeps of a candidate beside its members. Times are ISO 8601 in UTC. */
export interface CandidateState {
  readonly status: CandidateStatus | "erased";
  /** Absent once erased, like `availabilityStatus`. */
  readonly verificationStatus?: VerificationStatus | undefined;
  readonly availabilityStatus?: AvailabilityStatus | undefined;
  /** 0 to 100, set by the platform's assessment domain; absent until then. */
  readonly workReadinessScore?: number | undefined;
  readonly receivedAt: string;
  /** Moves forward with every write, by a millisecond at least. */
  readonly updatedAt: string;
  /** Absent until promotion: from then on the canonical id is valid. */
  readonly promotedAt?: string | undefined;
  /** The `sequence` of the last event. It goes on when the candidate is created again after an erasure. */
  readonly sequence: number;
  /** The `sequence` of the event that began this life: what is below it belongs to an erased one. */
  readonly firstSequence: number;
}

/** A failed validation: the event of this `sequence` carries these reasons. */
export interface Rejection {
  readonly sequence: number;
  readonly occurredAt: string;
  readonly reasons: readonly Reason[];
}

export interface Candidate {
  /** What its handles share: see `#candidates/handles`. */
  readonly digest: string;
  readonly members: CandidateMembers;
  /** What the platform added or overrode, apart from `members.assessments`: no integrator's write reaches it. */
  readonly platformAssessments: readonly PlatformAssessment[];
  /** The last ten, oldest first. */
  readonly rejections: readonly Rejection[];
  readonly state: CandidateState;
}
