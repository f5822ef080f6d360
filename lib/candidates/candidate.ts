import type { PlatformAssessment, Rejection } from "#candidates/candidate-commands";
import type { AvailabilityStatus, CandidateStatus, VerificationStatus } from "#contract/candidate-status";
import type { CandidateSubmission } from "#contract/candidate-submission";

/** The members that a partner submitted or amended. Empty lists and null members are absent. */
export type CandidateMembers = Partial<Omit<CandidateSubmission, "consentGiven">> & {
  readonly consentGiven?: boolean;
};

/** The platform's data about a candidate, apart from its members. Times are ISO 8601 in UTC. */
export interface CandidateState {
  readonly status: CandidateStatus | "erased";
  /** Absent after erasure, like `availabilityStatus`. */
  readonly verificationStatus?: VerificationStatus | undefined;
  readonly availabilityStatus?: AvailabilityStatus | undefined;
  /** 0 to 100, set by the platform; absent until then. */
  readonly workReadinessScore?: number | undefined;
  readonly receivedAt: string;
  /** Increases with every write, by at least a millisecond. */
  readonly updatedAt: string;
  /** Absent until promotion, which makes the canonical id valid. */
  readonly promotedAt?: string | undefined;
  /** The `sequence` of the latest event. Counting continues if the candidate is created again after an erasure. */
  readonly sequence: number;
  /** The `sequence` of the event that began this life. Lower sequences belong to an erased life. */
  readonly firstSequence: number;
}

export interface Candidate {
  /** The part that its handles share: see `#candidates/handles`. */
  readonly digest: string;
  readonly members: CandidateMembers;
  /** Added or overridden by the platform. Kept apart from `members.assessments`, so integrators cannot change it. */
  readonly platformAssessments: readonly PlatformAssessment[];
  /** The last ten, oldest first. */
  readonly rejections: readonly Rejection[];
  readonly state: CandidateState;
}
