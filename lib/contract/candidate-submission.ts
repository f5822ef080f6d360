import * as z from "zod/mini";
import { Assessment } from "#contract/assessment";
import {
  Address,
  Consent,
  EducationItem,
  JobPreferences,
  LanguageItem,
  Link,
  MediaItem,
  Referee,
  Skill,
  Source,
  WorkEligibilityItem,
  WorkHistoryItem,
} from "#contract/candidate-objects";
import { Document } from "#contract/document";
import {
  boolean,
  countryCode,
  email,
  expecting,
  fullDate,
  list,
  nestedList,
  nullableText,
  object,
  oneOf,
  shortText,
  text,
} from "#contract/values";

const externalId = () => text(1, 128);

/** The caller's own stable identifier for a candidate, 1 to 128 code points. It may be personal data. */
export const ExternalId = externalId();

/** The query of `GET /v1/candidates` (contract, "Candidates"): one `externalId`. Other parameters are ignored. */
export const FindCandidateQuery = /* @__PURE__ */ z.object({ externalId: ExternalId });

/** How create and amend treat a member of a candidate. */
interface Member {
  readonly schema: z.ZodMiniType;
  /** Whether create requires it. */
  readonly required?: true;
  /** The default for create. Amend keeps the current value of an omitted member. */
  readonly default?: readonly never[];
  /** Whether amend accepts it. A member that is present is replaced as a whole. */
  readonly amendable?: true;
  /** The schema for create, if it is stricter than for amend. */
  readonly atCreate?: z.ZodMiniType;
}

/** The most documents, and also the most assessments, that one body may contain. A record may hold more. */
export const ITEMS_PER_BODY = 50;

/** Every member of a candidate (contract, "Candidate submission" and "PUT /v1/candidates/{id}"). */
const members = {
  externalId: { schema: ExternalId, required: true },
  firstName: { schema: text(1, 120), required: true, amendable: true },
  middleName: { schema: nullableText(120), amendable: true },
  preferredName: { schema: nullableText(120), amendable: true },
  lastName: { schema: text(1, 120), required: true, amendable: true },
  headline: { schema: nullableText(200), amendable: true },
  summary: { schema: nullableText(5000), amendable: true },
  email: { schema: email(), required: true },
  phone: { schema: shortText(32), amendable: true },
  dateOfBirth: { schema: fullDate() },
  gender: { schema: oneOf(["male", "female", "non_binary", "prefer_not_to_say", "other"]) },
  nationality: { schema: countryCode() },
  countryOfResidence: { schema: countryCode(), required: true },
  consentGiven: {
    schema: boolean(),
    required: true,
    amendable: true,
    atCreate: z.literal(true, { error: expecting("the candidate's consent, true,") }),
  },
  address: { schema: Address, amendable: true },
  jobPreferences: { schema: JobPreferences, amendable: true },
  source: { schema: Source },
  skills: { schema: list(Skill, 100), default: [], amendable: true },
  workHistory: { schema: list(WorkHistoryItem, 40), default: [], amendable: true },
  education: { schema: list(EducationItem, 40), default: [], amendable: true },
  languages: { schema: list(LanguageItem, 30), default: [], amendable: true },
  workEligibility: { schema: list(WorkEligibilityItem, 30), default: [], amendable: true },
  referees: { schema: list(Referee, 10), default: [] },
  tags: { schema: list(shortText(60), 50), default: [] },
  documents: { schema: nestedList(Document, ITEMS_PER_BODY), default: [], amendable: true },
  links: { schema: list(Link, 20), default: [], amendable: true },
  media: { schema: list(MediaItem, 30), default: [], amendable: true },
  assessments: { schema: nestedList(Assessment, ITEMS_PER_BODY), default: [], amendable: true },
  consents: { schema: list(Consent, 20), default: [], amendable: true },
} satisfies Readonly<Record<string, Member>>;
type Members = typeof members;

type SchemaAtCreate<Of extends Member> = Of extends { readonly atCreate: infer Schema }
  ? Schema
  : Of extends { readonly required: true }
    ? Of["schema"]
    : Of extends { readonly default: readonly never[] }
      ? z.ZodMiniDefault<Of["schema"]>
      : z.ZodMiniOptional<Of["schema"]>;

function submissionShape() {
  const shape = Object.entries<Member>(members).map(([name, member]) => [name, schemaAtCreate(member)]);
  return Object.fromEntries(shape) as { [Name in keyof Members]: SchemaAtCreate<Members[Name]> };
}

function schemaAtCreate({ schema, required, default: value, atCreate = schema }: Member): z.ZodMiniType {
  if (required) return atCreate;
  return value ? z._default(schema, value) : z.optional(schema);
}

type Amendable = {
  [Name in keyof Members]: Members[Name] extends { readonly amendable: true } ? Name : never;
}[keyof Members];

function amendmentShape() {
  const shape = Object.entries<Member>(members)
    .filter(([, { amendable }]) => amendable)
    .map(([name, { schema }]) => [name, z.optional(schema)]);
  return Object.fromEntries(shape) as { [Name in Amendable]: z.ZodMiniOptional<Members[Name]["schema"]> };
}

/** The body of create (contract, "Candidate submission"). */
export const CandidateSubmission = /* @__PURE__ */ object(/* @__PURE__ */ submissionShape());
export type CandidateSubmission = z.infer<typeof CandidateSubmission>;

/** The body of amend (contract, "PUT /v1/candidates/{id}"). Omitted members are kept. */
export const CandidateAmendment = /* @__PURE__ */ object(/* @__PURE__ */ amendmentShape());
export type CandidateAmendment = z.infer<typeof CandidateAmendment>;

/**
 * The body of an erasure request (an extension, "POST /v1/candidates/{id}/erasure"). It repeats the candidate's
 * `externalId`, so that a wrong handle does not erase another candidate.
 */
export const ErasureRequest = /* @__PURE__ */ object({ externalId: /* @__PURE__ */ externalId() });

/** The response to create (contract, "Create response"). */
export const CreateResponse = z.object({
  stagedId: z.string(),
  externalId: z.string(),
  status: z.literal("received"),
  receivedAt: z.string(),
});
export type CreateResponse = z.infer<typeof CreateResponse>;
