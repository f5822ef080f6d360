import type { AvailabilityStatus, CandidateStatus, VerificationStatus } from "#contract/candidate-record";
import type { CandidateSubmission } from "#contract/candidate-submission";

/** What a partner submitted and amended. Lists that are empty and members that are null are absent. */
export type CandidateMembers = Partial<Omit<CandidateSubmission, "consentGiven">> & {
  readonly consentGiven?: boolean;
};

/** What the platform keeps of a candidate beside its members. Times are ISO 8601 in UTC. */
export interface CandidateState {
  readonly status: CandidateStatus | "erased";
  readonly verificationStatus: VerificationStatus;
  readonly availabilityStatus: AvailabilityStatus;
  /** 0 to 100, set by the platform's assessment domain; absent until then. */
  readonly workReadinessScore?: number | undefined;
  readonly receivedAt: string;
  readonly updatedAt: string;
  /** Absent until promotion: from then on the canonical id is valid. */
  readonly promotedAt?: string | undefined;
}

export interface Candidate {
  /** What its handles share: see `#candidates/handles`. */
  readonly digest: string;
  readonly members: CandidateMembers;
  readonly state: CandidateState;
}
