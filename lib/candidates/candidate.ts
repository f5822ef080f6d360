import type { AvailabilityStatus, CandidateStatus, VerificationStatus } from "#contract/candidate-status";
import type { CandidateSubmission } from "#contract/candidate-submission";

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
  /** How many events the candidate has fired. */
  readonly eventSequence: number;
}

export interface Candidate {
  /** What its handles share: see `#candidates/handles`. */
  readonly digest: string;
  readonly members: CandidateMembers;
  readonly state: CandidateState;
}
