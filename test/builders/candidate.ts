import type { Candidate, CandidateMembers, CandidateState } from "#candidates/candidate";
import { ITEM_VERSION } from "#candidates/store/item/item-version";

/** A digest of the right form. */
export const A_DIGEST = "0123456789abcdefghjkmnpqrs";

/** A handle of the right form that no candidate has. */
export const UNKNOWN_HANDLE = `staged_${"0".repeat(26)}`;

/** The item of a candidate that was just received. */
export function aStoredItem(members: object) {
  return {
    status: "received",
    verificationStatus: "in_review",
    availabilityStatus: "pending",
    receivedAt: "2026-01-01T00:00:00.000Z",
    updatedAt: "2026-01-01T00:00:00.000Z",
    itemVersion: ITEM_VERSION,
    sequence: 1,
    firstSequence: 1,
    ...members,
  };
}

/** A candidate as the store gives it: just received, unless `state` says otherwise. */
export function aCandidate(
  members: unknown,
  state: Partial<CandidateState> = {},
  kept: Partial<Pick<Candidate, "platformAssessments" | "rejections">> = {},
): Candidate {
  return {
    digest: A_DIGEST,
    members: members as CandidateMembers,
    platformAssessments: [],
    rejections: [],
    ...kept,
    state: {
      status: "received",
      verificationStatus: "in_review",
      availabilityStatus: "pending",
      receivedAt: "2026-01-01T00:00:00.000Z",
      updatedAt: "2026-01-02T00:00:00.000Z",
      sequence: 1,
      firstSequence: 1,
      ...state,
    },
  };
}
