import * as z from "zod/mini";
import {
  boolean,
  countryCode,
  currencyCode,
  dateTime,
  email,
  expecting,
  fullDate,
  integer,
  list,
  nullableBoolean,
  nullableDateTime,
  nullableFullDate,
  nullableInteger,
  nullableNumber,
  nullableText,
  nullableUri,
  number,
  object,
  oneOf,
  shortText,
  text,
  uri,
} from "#contract/values";

/** The size of a file that a document version or a media item describes, in bytes (contract, "Limits"). */
export const fileSize = () => nullableInteger(0, 524_288_000);

const EmploymentType = oneOf([
  "full_time",
  "part_time",
  "contract",
  "temporary",
  "internship",
  "apprenticeship",
  "casual",
  "volunteer",
]);

export const Address = object({
  line1: z.optional(shortText(200)),
  line2: z.optional(nullableText(200)),
  city: z.optional(shortText(120)),
  region: z.optional(nullableText(120)),
  postalCode: z.optional(nullableText(32)),
  country: countryCode(),
});

export const SalaryExpectation = object({
  currency: currencyCode(),
  min: z.optional(nullableNumber(0)),
  max: z.optional(nullableNumber(0)),
  period: z._default(oneOf(["hourly", "daily", "weekly", "monthly", "annual"]), "annual"),
});

export const JobPreferences = object({
  desiredTitles: z._default(list(shortText(200), 20), []),
  employmentTypes: z._default(list(EmploymentType, 8), []),
  preferredCountries: z._default(list(countryCode(), 30), []),
  openToRelocation: z.optional(nullableBoolean()),
  openToRemote: z.optional(nullableBoolean()),
  salaryExpectation: z.optional(SalaryExpectation),
});
export type JobPreferences = z.infer<typeof JobPreferences>;

export const Source = object({
  provider: z._default(shortText(60), "partner"),
  sourceChannel: z.optional(nullableText(120)),
  campaign: z.optional(nullableText(120)),
  submittedAt: z.optional(nullableDateTime()),
});

export const Skill = object({
  name: text(1, 120),
  yearsExperience: number(0, 60),
  proficiency: z.optional(oneOf(["beginner", "intermediate", "advanced", "expert"])),
  lastUsedYear: z.optional(integer(1950, 2100)),
});
export type Skill = z.infer<typeof Skill>;

export const WorkHistoryItem = object({
  employer: text(1, 200),
  jobTitle: text(1, 200),
  employmentType: z.optional(EmploymentType),
  startDate: fullDate(),
  endDate: z.optional(nullableFullDate()),
  isCurrent: z._default(boolean(), false),
  location: z.optional(nullableText(200)),
  description: z.optional(nullableText(4000)),
});
export type WorkHistoryItem = z.infer<typeof WorkHistoryItem>;

export const EducationItem = object({
  institution: text(1, 200),
  qualification: z.optional(nullableText(200)),
  fieldOfStudy: z.optional(nullableText(200)),
  completionStatus: z.optional(oneOf(["completed", "in_progress", "incomplete", "expected"])),
  startDate: z.optional(nullableFullDate()),
  endDate: z.optional(nullableFullDate()),
  grade: z.optional(nullableText(60)),
});
export type EducationItem = z.infer<typeof EducationItem>;

export const LanguageItem = object({
  language: text(2, 60),
  proficiency: oneOf(["basic", "conversational", "professional", "fluent", "native"]),
});
export type LanguageItem = z.infer<typeof LanguageItem>;

export const WorkEligibilityItem = object({
  country: countryCode(),
  status: oneOf([
    "citizen",
    "permanent_resident",
    "work_visa",
    "requires_sponsorship",
    "student_visa",
    "not_eligible",
    "unknown",
  ]),
  visaType: z.optional(nullableText(120)),
  expiresAt: z.optional(nullableFullDate()),
});
export type WorkEligibilityItem = z.infer<typeof WorkEligibilityItem>;

export const Referee = object({
  name: text(1, 200),
  relationship: z.optional(nullableText(120)),
  company: z.optional(nullableText(200)),
  email: z.optional(z.nullable(email(", or null,"))),
  phone: z.optional(nullableText(32)),
});

/** Every document type of the contract, the sensitive ones included (contract, "Document"). */
export const DocumentType = oneOf([
  "cv",
  "cover_letter",
  "resume_supplement",
  "certification",
  "qualification",
  "academic_transcript",
  "reference_letter",
  "portfolio",
  "video_introduction",
  "work_sample",
  "identity_document",
  "right_to_work",
  "police_clearance",
  "medical_certificate",
  "other",
]);

export const DocumentVersion = object({
  version: integer(1),
  url: uri(),
  fileName: z.optional(nullableText(255)),
  contentType: z.optional(nullableText(127)),
  sizeBytes: z.optional(fileSize()),
  uploadedAt: dateTime(),
  checksum: z.optional(nullableText(128)),
  uploadedByExternalId: z.optional(nullableText(128)),
});

const documentShape = {
  documentType: DocumentType,
  label: z.optional(nullableText(200)),
  currentVersion: integer(1),
  versions: list(DocumentVersion, 50, 1),
};

/**
 * A rule between members of one object. It runs even while the object has other problems, so that all
 * are told at once; `holds` therefore sees members that are absent or not yet of their type.
 */
function rule<Value>(holds: (value: Partial<Value>) => boolean, error: string) {
  return z.refine<Value>((value) => holds(value), {
    error,
    when: ({ value }) => typeof value === "object" && value !== null && !Array.isArray(value),
  });
}

function versionNumbers(document: { versions?: unknown }): unknown[] | undefined {
  return Array.isArray(document.versions)
    ? document.versions.map((entry: { version?: unknown } | null | undefined) => entry?.version)
    : undefined;
}

export const Document = object(
  documentShape,
  rule((document) => {
    const numbers = versionNumbers(document)?.filter(Number.isInteger);
    return numbers === undefined || new Set(numbers).size === numbers.length;
  }, "version numbers that are unique within the document are expected"),
  rule((document) => {
    const numbers = versionNumbers(document);
    return (
      numbers === undefined ||
      numbers.length === 0 ||
      !Number.isInteger(document.currentVersion) ||
      numbers.includes(document.currentVersion)
    );
  }, "a currentVersion that is one of versions[].version is expected"),
);
export type Document = z.infer<typeof Document>;

export const Link = object({
  type: oneOf(["linkedin", "github", "portfolio", "twitter", "website", "other"]),
  url: uri(),
  label: z.optional(nullableText(120)),
});
export type Link = z.infer<typeof Link>;

const mediaItemShape = {
  kind: oneOf(["profile_photo", "intro_video", "portfolio_image", "portfolio_video", "audio", "other"]),
  assetKey: z.optional(nullableText(512)),
  provider: z._default(oneOf(["partner", "platform"]), "partner"),
  url: z.optional(nullableUri()),
  contentType: z.optional(nullableText(127)),
  fileName: z.optional(nullableText(255)),
  sizeBytes: z.optional(fileSize()),
  durationSeconds: z.optional(nullableNumber(0)),
  width: z.optional(nullableInteger(0)),
  height: z.optional(nullableInteger(0)),
  caption: z.optional(nullableText(500)),
  uploadedAt: z.optional(nullableDateTime()),
};

export const MediaItem = object(
  mediaItemShape,
  rule(
    (item) => isAbsent(item.assetKey) !== isAbsent(item.url),
    "exactly one of assetKey (with provider) or url is expected",
  ),
);
export type MediaItem = z.infer<typeof MediaItem>;

export const Competency = object({
  code: text(1, 64),
  label: z.optional(nullableText(200)),
  score: z.optional(nullableNumber(0, 100)),
});

/** The members of an assessment. */
export const assessmentShape = {
  externalId: z.optional(nullableText(128)),
  provider: z._default(oneOf(["proctor", "partner", "other"]), "partner"),
  name: text(1, 200),
  status: oneOf(["scheduled", "in_progress", "completed", "expired", "cancelled"]),
  outcome: z.optional(oneOf(["pass", "fail", "inconclusive"])),
  score: z.optional(nullableNumber(0, 100)),
  maxScore: z.optional(nullableNumber(0)),
  scoreBand: z.optional(nullableText(60)),
  competencies: z._default(list(Competency, 100), []),
  reportKey: z.optional(nullableText(512)),
  reportUrl: z.optional(nullableUri()),
  completedAt: z.optional(nullableDateTime()),
  expiresAt: z.optional(nullableDateTime()),
};

/** The rule of an assessment: at most one of `reportKey` and `reportUrl`. */
export const atMostOneReport = () =>
  rule<{ readonly reportKey?: unknown; readonly reportUrl?: unknown }>(
    (assessment) => isAbsent(assessment.reportKey) || isAbsent(assessment.reportUrl),
    "at most one of reportKey or reportUrl is expected",
  );

export const Assessment = object(assessmentShape, atMostOneReport());
export type Assessment = z.infer<typeof Assessment>;

function isAbsent(value: unknown): boolean {
  return value === undefined || value === null;
}

export const Consent = object({
  type: oneOf(["data_processing", "marketing", "background_check", "data_sharing_partners"]),
  granted: boolean(),
  grantedAt: z.optional(nullableDateTime()),
  policyVersion: z.optional(nullableText(40)),
});

const externalId = () => text(1, 128);

/** The caller's own stable identifier for a candidate, 1 to 128 code points. It may be personal data. */
export const ExternalId = externalId();

/** How create and amend take a member of a candidate. */
interface Member {
  readonly schema: z.ZodMiniType;
  /** Whether create asks for it. */
  readonly required?: true;
  /** What create takes an omitted member for; amend keeps what there is. */
  readonly default?: readonly never[];
  /** Whether amend takes it: what is present replaces the whole member. */
  readonly amendable?: true;
  /** The schema at create, where that takes less than amend. */
  readonly atCreate?: z.ZodMiniType;
}

/** How many documents, and how many assessments, a body may list; a record may hold more. */
export const LISTED_IN_A_BODY = 50;

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
  documents: { schema: list(Document, LISTED_IN_A_BODY), default: [], amendable: true },
  links: { schema: list(Link, 20), default: [], amendable: true },
  media: { schema: list(MediaItem, 30), default: [], amendable: true },
  assessments: { schema: list(Assessment, LISTED_IN_A_BODY), default: [], amendable: true },
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

/** The body of amend (contract, "PUT /v1/candidates/{id}"): what is omitted is kept. */
export const CandidateAmendment = /* @__PURE__ */ object(/* @__PURE__ */ amendmentShape());
export type CandidateAmendment = z.infer<typeof CandidateAmendment>;

/**
 * The body of an erasure request (an extension, "POST /v1/candidates/{id}/erasure"): it names the candidate a second
 * time, so that a mistaken handle erases nobody.
 */
export const ErasureRequest = /* @__PURE__ */ object({ externalId: /* @__PURE__ */ externalId() });

/** The answer to create (contract, "Create response"). */
export const CreateResponse = z.object({
  stagedId: z.string(),
  externalId: z.string(),
  status: z.literal("received"),
  receivedAt: z.string(),
});
export type CreateResponse = z.infer<typeof CreateResponse>;
