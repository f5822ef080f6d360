import {
  boolean,
  countryCode,
  currencyCode,
  dateTime,
  email,
  fullDate,
  integer,
  list,
  nullable,
  number,
  object,
  oneOf,
  optional,
  required,
  text,
  uri,
} from "./kinds.ts";

/*
 * The tables of contract.md, "Resources and their fields", read a second time and without a look at
 * lib/contract: what disagrees with the schemas there is a mistake in one of the two readings. Every
 * bound's test, over HTTP and on the schemas, is generated from this list.
 */

const EmploymentType = oneOf(
  "full_time",
  "part_time",
  "contract",
  "temporary",
  "internship",
  "apprenticeship",
  "casual",
  "volunteer",
);

const Address = object({
  line1: optional(text(0, 200)),
  line2: optional(nullable(text(0, 200))),
  city: optional(text(0, 120)),
  region: optional(nullable(text(0, 120))),
  postalCode: optional(nullable(text(0, 32))),
  country: required(countryCode()),
});

const JobPreferences = object({
  desiredTitles: optional(list(0, 20, text(0, 200)), []),
  employmentTypes: optional(list(0, 8, EmploymentType), []),
  preferredCountries: optional(list(0, 30, countryCode()), []),
  openToRelocation: optional(nullable(boolean())),
  openToRemote: optional(nullable(boolean())),
  salaryExpectation: optional(
    object({
      currency: required(currencyCode()),
      min: optional(nullable(number(0))),
      max: optional(nullable(number(0))),
      period: optional(oneOf("hourly", "daily", "weekly", "monthly", "annual"), "annual"),
    }),
  ),
});

const Source = object({
  provider: optional(text(0, 60), "partner"),
  sourceChannel: optional(nullable(text(0, 120))),
  campaign: optional(nullable(text(0, 120))),
  submittedAt: optional(nullable(dateTime())),
});

const Skill = object({
  name: required(text(1, 120)),
  yearsExperience: required(number(0, 60)),
  proficiency: optional(oneOf("beginner", "intermediate", "advanced", "expert")),
  lastUsedYear: optional(integer(1950, 2100)),
});

const WorkHistoryItem = object({
  employer: required(text(1, 200)),
  jobTitle: required(text(1, 200)),
  employmentType: optional(EmploymentType),
  startDate: required(fullDate()),
  endDate: optional(nullable(fullDate())),
  isCurrent: optional(boolean(), false),
  location: optional(nullable(text(0, 200))),
  description: optional(nullable(text(0, 4000))),
});

const EducationItem = object({
  institution: required(text(1, 200)),
  qualification: optional(nullable(text(0, 200))),
  fieldOfStudy: optional(nullable(text(0, 200))),
  completionStatus: optional(oneOf("completed", "in_progress", "incomplete", "expected")),
  startDate: optional(nullable(fullDate())),
  endDate: optional(nullable(fullDate())),
  grade: optional(nullable(text(0, 60))),
});

const LanguageItem = object({
  language: required(text(2, 60)),
  proficiency: required(oneOf("basic", "conversational", "professional", "fluent", "native")),
});

const WorkEligibilityItem = object({
  country: required(countryCode()),
  status: required(
    oneOf(
      "citizen",
      "permanent_resident",
      "work_visa",
      "requires_sponsorship",
      "student_visa",
      "not_eligible",
      "unknown",
    ),
  ),
  visaType: optional(nullable(text(0, 120))),
  expiresAt: optional(nullable(fullDate())),
});

const Referee = object({
  name: required(text(1, 200)),
  relationship: optional(nullable(text(0, 120))),
  company: optional(nullable(text(0, 200))),
  email: optional(nullable(email())),
  phone: optional(nullable(text(0, 32))),
});

/** The document types that a reader may see, and those that it may not. */
export const SHARED_DOCUMENT_TYPES = [
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
  "other",
] as const;
export const SENSITIVE_DOCUMENT_TYPES = [
  "identity_document",
  "right_to_work",
  "police_clearance",
  "medical_certificate",
] as const;

const Document = object({
  documentType: required(oneOf(...SHARED_DOCUMENT_TYPES, ...SENSITIVE_DOCUMENT_TYPES)),
  label: optional(nullable(text(0, 200))),
  currentVersion: required(integer(1)),
  versions: required(
    list(
      1,
      50,
      object({
        version: required(integer(1)),
        url: required(uri()),
        fileName: optional(nullable(text(0, 255))),
        contentType: optional(nullable(text(0, 127))),
        sizeBytes: optional(nullable(integer(0, 524_288_000))),
        uploadedAt: required(dateTime()),
        checksum: optional(nullable(text(0, 128))),
        uploadedByExternalId: optional(nullable(text(0, 128))),
      }),
    ),
  ),
});

const Link = object({
  type: required(oneOf("linkedin", "github", "portfolio", "twitter", "website", "other")),
  url: required(uri()),
  label: optional(nullable(text(0, 120))),
});

const MediaItem = object({
  kind: required(
    oneOf("profile_photo", "intro_video", "portfolio_image", "portfolio_video", "audio", "other"),
  ),
  assetKey: optional(nullable(text(0, 512))),
  provider: optional(oneOf("partner", "platform"), "partner"),
  url: optional(nullable(uri())),
  contentType: optional(nullable(text(0, 127))),
  fileName: optional(nullable(text(0, 255))),
  sizeBytes: optional(nullable(integer(0, 524_288_000))),
  durationSeconds: optional(nullable(number(0))),
  width: optional(nullable(integer(0))),
  height: optional(nullable(integer(0))),
  caption: optional(nullable(text(0, 500))),
  uploadedAt: optional(nullable(dateTime())),
});

const Assessment = object({
  externalId: optional(nullable(text(0, 128))),
  provider: optional(oneOf("proctor", "partner", "other"), "partner"),
  name: required(text(1, 200)),
  status: required(oneOf("scheduled", "in_progress", "completed", "expired", "cancelled")),
  outcome: optional(oneOf("pass", "fail", "inconclusive")),
  score: optional(nullable(number(0, 100))),
  maxScore: optional(nullable(number(0))),
  scoreBand: optional(nullable(text(0, 60))),
  competencies: optional(
    list(
      0,
      100,
      object({
        code: required(text(1, 64)),
        label: optional(nullable(text(0, 200))),
        score: optional(nullable(number(0, 100))),
      }),
    ),
    [],
  ),
  reportKey: optional(nullable(text(0, 512))),
  reportUrl: optional(nullable(uri())),
  completedAt: optional(nullable(dateTime())),
  expiresAt: optional(nullable(dateTime())),
});

const Consent = object({
  type: required(oneOf("data_processing", "marketing", "background_check", "data_sharing_partners")),
  granted: required(boolean()),
  grantedAt: optional(nullable(dateTime())),
  policyVersion: optional(nullable(text(0, 40))),
});

/** The body of create. */
export const submission = object({
  externalId: required(text(1, 128)),
  firstName: required(text(1, 120)),
  middleName: optional(nullable(text(0, 120))),
  preferredName: optional(nullable(text(0, 120))),
  lastName: required(text(1, 120)),
  headline: optional(nullable(text(0, 200))),
  summary: optional(nullable(text(0, 5000))),
  email: required(email()),
  phone: optional(text(0, 32)),
  dateOfBirth: optional(fullDate()),
  gender: optional(oneOf("male", "female", "non_binary", "prefer_not_to_say", "other")),
  nationality: optional(countryCode()),
  countryOfResidence: required(countryCode()),
  consentGiven: required(oneOf(true)),
  address: optional(Address),
  jobPreferences: optional(JobPreferences),
  source: optional(Source),
  skills: optional(list(0, 100, Skill), []),
  workHistory: optional(list(0, 40, WorkHistoryItem), []),
  education: optional(list(0, 40, EducationItem), []),
  languages: optional(list(0, 30, LanguageItem), []),
  workEligibility: optional(list(0, 30, WorkEligibilityItem), []),
  referees: optional(list(0, 10, Referee), []),
  tags: optional(list(0, 50, text(0, 60)), []),
  documents: optional(list(0, 50, Document), []),
  links: optional(list(0, 20, Link), []),
  media: optional(list(0, 30, MediaItem), []),
  assessments: optional(list(0, 50, Assessment), []),
  consents: optional(list(0, 20, Consent), []),
});

/** The members that amend takes; each is optional there, and `consentGiven` may also be false. */
export const AMENDABLE = [
  "firstName",
  "middleName",
  "preferredName",
  "lastName",
  "headline",
  "summary",
  "phone",
  "consentGiven",
  "address",
  "jobPreferences",
  "skills",
  "workHistory",
  "education",
  "languages",
  "workEligibility",
  "documents",
  "links",
  "media",
  "assessments",
  "consents",
] as const;

/** The members that create takes and amend refuses. */
export const NOT_AMENDABLE = [
  "externalId",
  "email",
  "dateOfBirth",
  "gender",
  "nationality",
  "countryOfResidence",
  "referees",
  "tags",
  "source",
] as const;

/** The body of amend. */
export const amendment = object(
  Object.fromEntries(
    AMENDABLE.map((name) => {
      const kind = submission.members[name]?.kind;
      if (!kind) throw new Error(`${name} is not in the submission's table`);
      return [name, optional(name === "consentGiven" ? boolean() : kind)];
    }),
  ),
);
