import * as z from "zod/mini";
import { AvailabilityStatus, CandidateStatus, VerificationStatus } from "#contract/candidate-status";
import { Assessment, ExternalId } from "#contract/candidate-submission";
import { Reason } from "#contract/events";
import { expecting, list, number, object } from "#contract/values";
import { OrgId } from "#organisations/organisation";

const candidate = {
  orgId: OrgId,
  /** A `stagedId` or a canonical id. */
  handle: z.string({ error: expecting("a stagedId or canonical id") }),
};

const reasons = list(Reason, 50).check(z.minLength(1, { error: expecting("one reason or more") }));

/** What the private function `advance-candidate` is invoked with: one change of one candidate. */
export const AdvanceCandidate = z.discriminatedUnion(
  "transition",
  [
    object({ ...candidate, transition: z.literal("verify") }),
    object({ ...candidate, transition: z.literal("promote") }),
    object({ ...candidate, transition: z.literal("fail-validation"), reasons }),
    object({ ...candidate, transition: z.literal("revoke-consent") }),
    object({ ...candidate, transition: z.literal("erase") }),
    object({
      ...candidate,
      transition: z.literal("score"),
      score: z.nullable(number(0, 100, ", or null,")),
    }),
    object({ ...candidate, transition: z.literal("assess"), assessment: Assessment }),
  ],
  {
    error: "one of verify, promote, fail-validation, revoke-consent, erase, score, assess is expected",
  },
);
export type AdvanceCandidate = z.infer<typeof AdvanceCandidate>;

/** What the private function `show-candidate` is invoked with: a candidate by a handle, or as its organisation knows it. */
export const ShowCandidate = z.union([object(candidate), object({ orgId: OrgId, externalId: ExternalId })], {
  error: "orgId, and either a handle or an externalId of 1 to 128 characters, is expected",
});

/** A candidate's state as the platform sees it, without any of its members. */
export const PlatformCandidate = z.object({
  stagedId: z.string(),
  id: z.nullable(z.string()),
  status: z.union([CandidateStatus, z.literal("erased")]),
  verificationStatus: z.nullable(VerificationStatus),
  availabilityStatus: z.nullable(AvailabilityStatus),
  workReadinessScore: z.nullable(z.number()),
  assessments: z.int(),
  events: z.int(),
  receivedAt: z.string(),
  promotedAt: z.nullable(z.string()),
  updatedAt: z.string(),
});
export type PlatformCandidate = z.infer<typeof PlatformCandidate>;

/** What `advance-candidate` answers; `changed` is false when it was so already. */
export const AdvancedCandidate = z.extend(PlatformCandidate, { changed: z.boolean() });
export type AdvancedCandidate = z.infer<typeof AdvancedCandidate>;
