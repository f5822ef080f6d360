import * as z from "zod/mini";
import { assessmentShape, atMostOneReport } from "#contract/assessment";
import { AvailabilityStatus, CandidateStatus, VerificationStatus } from "#contract/candidate-status";
import { ExternalId } from "#contract/candidate-submission";
import { DocumentType } from "#contract/document";
import { OrgId } from "#contract/organisation";
import { PLATFORM_TRANSITIONS } from "#contract/platform-transition";
import { Reason, Reasons } from "#contract/reason";
import { dateTime, expecting, integer, number, object, text } from "#contract/values";

const candidate = {
  orgId: OrgId,
  /** A `stagedId` or a canonical id. */
  handle: z.string({ error: expecting("a stagedId or canonical id") }),
};

const WITHOUT_REASONS = PLATFORM_TRANSITIONS.filter((transition) => transition !== "fail-validation");

/** An assessment by the platform, identified by provider and `externalId`. */
const PlatformAssessment = object({ ...assessmentShape, externalId: text(1, 128) }, atMostOneReport());
export type PlatformAssessment = z.infer<typeof PlatformAssessment>;

/** DynamoDB stores no positive number below 1e-130 (Amazon DynamoDB, "Supported data types and naming rules"). */
const Score = number(0, 100, ", or null,").check(
  z.refine((score) => score <= 0 || score >= 1e-130, {
    error: expecting("0, or a number of at least 1e-130,"),
  }),
);

/** One document, as listed by `candidates show`. */
const document = {
  documentType: DocumentType,
  /** Numbers the documents of the type, from 1. Required if there are several. */
  number: z.optional(integer(1)),
  /** The version of the record that was displayed. */
  updatedAt: dateTime(),
};

/** The payload of the private function `advance-candidate`: one change of one candidate. */
export const AdvanceCandidate = z.discriminatedUnion(
  "transition",
  [
    object({ ...candidate, transition: z.literal(WITHOUT_REASONS) }),
    object({ ...candidate, transition: z.literal("fail-validation"), reasons: Reasons }),
    object({ ...candidate, transition: z.literal("score"), score: z.nullable(Score) }),
    object({ ...candidate, transition: z.literal("assess"), assessment: PlatformAssessment }),
    object({ ...candidate, transition: z.literal("remove-document"), ...document }),
  ],
  {
    error: `one of ${[...PLATFORM_TRANSITIONS, "score", "assess", "remove-document"].join(", ")} is expected`,
  },
);
export type AdvanceCandidate = z.infer<typeof AdvanceCandidate>;
export type DocumentToRemove = Pick<
  Extract<AdvanceCandidate, { readonly transition: "remove-document" }>,
  keyof typeof document
>;

/** The payload of the private function `inspect-candidate`: a candidate by its handle or by its `externalId`. */
export const InspectCandidate = z.union(
  [object(candidate), object({ orgId: OrgId, externalId: ExternalId })],
  {
    error: "orgId, and either a handle or an externalId of 1 to 128 characters, is expected",
  },
);

/** A candidate's status, sequences and times, without its members. */
export const CandidateSummary = z.object({
  stagedId: z.string(),
  id: z.nullable(z.string()),
  status: z.union([CandidateStatus, z.literal("erased")]),
  verificationStatus: z.nullable(VerificationStatus),
  availabilityStatus: z.nullable(AvailabilityStatus),
  workReadinessScore: z.nullable(z.number()),
  /** The `sequence` of the first event since the candidate was created, and of the latest. */
  firstSequence: z.int(),
  sequence: z.int(),
  receivedAt: z.string(),
  promotedAt: z.nullable(z.string()),
  updatedAt: z.string(),
});
export type CandidateSummary = z.infer<typeof CandidateSummary>;

/** What `advance-candidate` returns. `changed` is false if the candidate already had this state. */
export const AdvancedCandidate = z.extend(CandidateSummary, { changed: z.boolean() });
export type AdvancedCandidate = z.infer<typeof AdvancedCandidate>;

/** A document without its name and location. */
const ShownDocument = z.object({
  documentType: DocumentType,
  /** Numbers the documents of its type, from 1. */
  number: z.int(),
  versions: z.int(),
  /** When the current version was uploaded. */
  uploadedAt: z.string(),
});

/** A failed validation: the reasons carried by the event with this `sequence`. */
const Rejection = z.object({
  sequence: z.int(),
  occurredAt: z.string(),
  reasons: z.readonly(z.array(Reason)),
});
export type Rejection = z.infer<typeof Rejection>;

/** What `inspect-candidate` returns. It contains nothing personal that the partner sent. */
export const InspectedCandidate = z.extend(CandidateSummary, {
  /** The number of assessments in the record, and how many of them are the platform's. */
  assessments: z.int(),
  platformAssessments: z.int(),
  /** Includes sensitive documents. */
  documents: z.array(ShownDocument),
  /** The last ten failed validations, oldest first. */
  rejections: z.readonly(z.array(Rejection)),
});
export type InspectedCandidate = z.infer<typeof InspectedCandidate>;
