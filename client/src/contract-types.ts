// Made from the OpenAPI description by `npm run client`: change the schemas in lib/contract.

/**
 * A candidate as it is pushed into intake. Members that are not listed here are refused, at every depth.
 */
export interface CandidateSubmission {
  /**
   * Your own stable id of the candidate. Creating is idempotent on it within your organisation. 1 to 128 characters.
   */
  externalId: string;
  /**
   * Given name. 1 to 120 characters.
   */
  firstName: string;
  /**
   * Middle name. At most 120 characters.
   */
  middleName?: string | null | undefined;
  /**
   * The name the candidate goes by. At most 120 characters.
   */
  preferredName?: string | null | undefined;
  /**
   * Family name. 1 to 120 characters.
   */
  lastName: string;
  /**
   * One line about the candidate. At most 200 characters.
   */
  headline?: string | null | undefined;
  /**
   * The candidate's biography. At most 5000 characters.
   */
  summary?: string | null | undefined;
  /**
   * E-mail address, its case kept. Never returned. At most 254 characters.
   */
  email: string;
  /**
   * Telephone number, in any notation. Never returned. At most 32 characters.
   */
  phone?: string | undefined;
  /**
   * Date of birth, `YYYY-MM-DD`. Never returned.
   */
  dateOfBirth?: string | undefined;
  /**
   * Gender. Never returned.
   */
  gender?: ("male" | "female" | "non_binary" | "prefer_not_to_say" | "other") | undefined;
  /**
   * Nationality. ISO 3166-1 alpha-2: two upper-case letters.
   */
  nationality?: string | undefined;
  /**
   * Country of residence. ISO 3166-1 alpha-2: two upper-case letters.
   */
  countryOfResidence: string;
  /**
   * The candidate's consent. Only `true` is accepted.
   */
  consentGiven: true;
  /**
   * Postal address. Never returned.
   */
  address?: Address | undefined;
  /**
   * What work the candidate looks for.
   */
  jobPreferences?: JobPreferences | undefined;
  /**
   * Where the candidate comes from. Never returned.
   */
  source?: Source | undefined;
  /**
   * What the candidate can do. At most 100 items.
   */
  skills?: Skill[] | undefined;
  /**
   * Positions the candidate has held. At most 40 items.
   */
  workHistory?: WorkHistoryItem[] | undefined;
  /**
   * Where the candidate has studied. At most 40 items.
   */
  education?: EducationItem[] | undefined;
  /**
   * Languages the candidate speaks. At most 30 items.
   */
  languages?: LanguageItem[] | undefined;
  /**
   * The right to work, by country. At most 30 items.
   */
  workEligibility?: WorkEligibilityItem[] | undefined;
  /**
   * People who vouch for the candidate. Never returned. At most 10 items.
   */
  referees?: Referee[] | undefined;
  /**
   * Labels of your choice. At most 50 items.
   */
  tags?: string[] | undefined;
  /**
   * Documents with their versions. Types `identity_document`, `right_to_work`, `police_clearance` and `medical_certificate` are sensitive: they are kept, and never returned. At most 50 items.
   */
  documents?: Document[] | undefined;
  /**
   * Links to profiles and pages. At most 20 items.
   */
  links?: Link[] | undefined;
  /**
   * Photos, videos and audio. At most 30 items.
   */
  media?: MediaItem[] | undefined;
  /**
   * Results of assessments, as a summary. At most 50 items.
   */
  assessments?: Assessment[] | undefined;
  /**
   * Consents by purpose, for audits. The entries are kept and never interpreted: `consentGiven` alone decides about access. Never returned. At most 20 items.
   */
  consents?: Consent[] | undefined;
}

/**
 * A postal address.
 */
export interface Address {
  /**
   * Street and number. At most 200 characters.
   */
  line1?: string | undefined;
  /**
   * What the first line has no room for. At most 200 characters.
   */
  line2?: string | null | undefined;
  /**
   * City or town. At most 120 characters.
   */
  city?: string | undefined;
  /**
   * State or province. At most 120 characters.
   */
  region?: string | null | undefined;
  /**
   * Postal code. At most 32 characters.
   */
  postalCode?: string | null | undefined;
  /**
   * Country. ISO 3166-1 alpha-2: two upper-case letters.
   */
  country: string;
}

/**
 * What work a candidate looks for.
 */
export interface JobPreferences {
  /**
   * Job titles that the candidate looks for. At most 20 items.
   */
  desiredTitles?: string[] | undefined;
  /**
   * Kinds of employment that the candidate would take. At most 8 items.
   */
  employmentTypes?:
    | (
        | "full_time"
        | "part_time"
        | "contract"
        | "temporary"
        | "internship"
        | "apprenticeship"
        | "casual"
        | "volunteer"
      )[]
    | undefined;
  /**
   * Countries the candidate would work in. ISO 3166-1 alpha-2: two upper-case letters. At most 30 items.
   */
  preferredCountries?: string[] | undefined;
  /**
   * Whether the candidate would move for the work; null when not asked.
   */
  openToRelocation?: boolean | null | undefined;
  /**
   * Whether the candidate would work remotely; null when not asked.
   */
  openToRemote?: boolean | null | undefined;
  /**
   * What the candidate expects to earn.
   */
  salaryExpectation?: SalaryExpectation | undefined;
}

/**
 * What a candidate expects to earn.
 */
export interface SalaryExpectation {
  /**
   * ISO 4217: three upper-case letters.
   */
  currency: string;
  /**
   * The least expected, in the currency's main unit. At least 0.
   */
  min?: number | null | undefined;
  /**
   * The most expected, in the currency's main unit. At least 0.
   */
  max?: number | null | undefined;
  /**
   * The period that the amounts are for.
   */
  period?: ("hourly" | "daily" | "weekly" | "monthly" | "annual") | undefined;
}

/**
 * Where a candidate comes from.
 */
export interface Source {
  /**
   * Who provided the candidate. At most 60 characters.
   */
  provider?: string | undefined;
  /**
   * The channel, for instance `referral`. At most 120 characters.
   */
  sourceChannel?: string | null | undefined;
  /**
   * The campaign. At most 120 characters.
   */
  campaign?: string | null | undefined;
  /**
   * When it was submitted to you: RFC 3339 with `Z` or an offset.
   */
  submittedAt?: string | null | undefined;
}

/**
 * A skill.
 */
export interface Skill {
  /**
   * Name of the skill. 1 to 120 characters.
   */
  name: string;
  /**
   * Years of experience, fractions allowed. From 0 to 60.
   */
  yearsExperience: number;
  /**
   * How well the candidate masters it.
   */
  proficiency?: ("beginner" | "intermediate" | "advanced" | "expert") | undefined;
  /**
   * The year in which it was last used. From 1950 to 2100.
   */
  lastUsedYear?: number | undefined;
}

/**
 * A position.
 */
export interface WorkHistoryItem {
  /**
   * Name of the employer. 1 to 200 characters.
   */
  employer: string;
  /**
   * Title of the position. 1 to 200 characters.
   */
  jobTitle: string;
  /**
   * Kind of employment.
   */
  employmentType?:
    | (
        | "full_time"
        | "part_time"
        | "contract"
        | "temporary"
        | "internship"
        | "apprenticeship"
        | "casual"
        | "volunteer"
      )
    | undefined;
  /**
   * First day, `YYYY-MM-DD`.
   */
  startDate: string;
  /**
   * Last day, `YYYY-MM-DD`; null means that this is the current position.
   */
  endDate?: string | null | undefined;
  /**
   * Whether this is the current position. It is not derived from `endDate`.
   */
  isCurrent?: boolean | undefined;
  /**
   * Where the work was done. At most 200 characters.
   */
  location?: string | null | undefined;
  /**
   * What the work was about. At most 4000 characters.
   */
  description?: string | null | undefined;
}

/**
 * A course of study.
 */
export interface EducationItem {
  /**
   * School, university or other institution. 1 to 200 characters.
   */
  institution: string;
  /**
   * The degree or certificate. At most 200 characters.
   */
  qualification?: string | null | undefined;
  /**
   * The subject. At most 200 characters.
   */
  fieldOfStudy?: string | null | undefined;
  /**
   * Whether it was completed.
   */
  completionStatus?: ("completed" | "in_progress" | "incomplete" | "expected") | undefined;
  /**
   * First day, `YYYY-MM-DD`.
   */
  startDate?: string | null | undefined;
  /**
   * Last day, `YYYY-MM-DD`.
   */
  endDate?: string | null | undefined;
  /**
   * Final grade, in the institution's own scale. At most 60 characters.
   */
  grade?: string | null | undefined;
}

/**
 * A language.
 */
export interface LanguageItem {
  /**
   * Name of the language. 2 to 60 characters.
   */
  language: string;
  /**
   * How well the candidate speaks it.
   */
  proficiency: "basic" | "conversational" | "professional" | "fluent" | "native";
}

/**
 * The right to work in one target market.
 */
export interface WorkEligibilityItem {
  /**
   * The market that this is about. ISO 3166-1 alpha-2: two upper-case letters.
   */
  country: string;
  /**
   * The candidate's right to work there.
   */
  status:
    | "citizen"
    | "permanent_resident"
    | "work_visa"
    | "requires_sponsorship"
    | "student_visa"
    | "not_eligible"
    | "unknown";
  /**
   * Kind of visa, where there is one. At most 120 characters.
   */
  visaType?: string | null | undefined;
  /**
   * The day on which the right ends, `YYYY-MM-DD`.
   */
  expiresAt?: string | null | undefined;
}

/**
 * Someone who vouches for the candidate: personal data, never returned.
 */
export interface Referee {
  /**
   * Full name. 1 to 200 characters.
   */
  name: string;
  /**
   * How the referee knows the candidate. At most 120 characters.
   */
  relationship?: string | null | undefined;
  /**
   * Where the referee works. At most 200 characters.
   */
  company?: string | null | undefined;
  /**
   * E-mail address. At most 254 characters.
   */
  email?: string | null | undefined;
  /**
   * Telephone number, in any notation. At most 32 characters.
   */
  phone?: string | null | undefined;
}

/**
 * A document with its versions. `currentVersion` must be one of `versions[].version`, and version numbers must be unique within the document.
 */
export interface Document {
  /**
   * What kind of document this is.
   */
  documentType:
    | "cv"
    | "cover_letter"
    | "resume_supplement"
    | "certification"
    | "qualification"
    | "academic_transcript"
    | "reference_letter"
    | "portfolio"
    | "video_introduction"
    | "work_sample"
    | "identity_document"
    | "right_to_work"
    | "police_clearance"
    | "medical_certificate"
    | "other";
  /**
   * A name for people. At most 200 characters.
   */
  label?: string | null | undefined;
  /**
   * The version that counts: one of `versions[].version`. At least 1.
   */
  currentVersion: number;
  /**
   * Every version, in any order. Version numbers are unique within the document. At most 50 items.
   */
  versions: DocumentVersion[];
}

/**
 * One version of a document.
 */
export interface DocumentVersion {
  /**
   * Number of the version, unique within the document. At least 1.
   */
  version: number;
  /**
   * Where the file is kept. A URI as RFC 3986 has it, of any scheme but `javascript:` and `vbscript:`; kept and returned byte for byte. At most 2048 characters.
   */
  url: string;
  /**
   * Name of the file. At most 255 characters.
   */
  fileName?: string | null | undefined;
  /**
   * MIME type of the file. At most 127 characters.
   */
  contentType?: string | null | undefined;
  /**
   * Size of the file in bytes. From 0 to 524288000.
   */
  sizeBytes?: number | null | undefined;
  /**
   * When this version was uploaded: RFC 3339 with `Z` or an offset.
   */
  uploadedAt: string;
  /**
   * Integrity hash of the file, in a form of your choice. At most 128 characters.
   */
  checksum?: string | null | undefined;
  /**
   * Your own id of who uploaded it. At most 128 characters.
   */
  uploadedByExternalId?: string | null | undefined;
}

/**
 * A link.
 */
export interface Link {
  /**
   * Where the link leads to.
   */
  type: "linkedin" | "github" | "portfolio" | "twitter" | "website" | "other";
  /**
   * The address. A URI as RFC 3986 has it, of any scheme but `javascript:` and `vbscript:`; kept and returned byte for byte. At most 2048 characters.
   */
  url: string;
  /**
   * A name for people. At most 120 characters.
   */
  label?: string | null | undefined;
}

/**
 * A photo, a video or audio. Send exactly one of `assetKey` (with `provider`) and `url`; null counts as absent.
 */
export interface MediaItem {
  /**
   * What the item shows.
   */
  kind: "profile_photo" | "intro_video" | "portfolio_image" | "portfolio_video" | "audio" | "other";
  /**
   * Opaque storage key. Exchange it with `provider` for a short-lived signed URL; it cannot be fetched itself. At most 512 characters.
   */
  assetKey?: string | null | undefined;
  /**
   * Who signs `assetKey`; meaningful only with it.
   */
  provider?: ("partner" | "platform") | undefined;
  /**
   * A link that can be used as it is. A URI as RFC 3986 has it, of any scheme but `javascript:` and `vbscript:`; kept and returned byte for byte. At most 2048 characters.
   */
  url?: string | null | undefined;
  /**
   * MIME type. At most 127 characters.
   */
  contentType?: string | null | undefined;
  /**
   * Name of the file. At most 255 characters.
   */
  fileName?: string | null | undefined;
  /**
   * Size in bytes. From 0 to 524288000.
   */
  sizeBytes?: number | null | undefined;
  /**
   * Length of a video or of audio, in seconds. At least 0.
   */
  durationSeconds?: number | null | undefined;
  /**
   * Width in pixels. At least 0.
   */
  width?: number | null | undefined;
  /**
   * Height in pixels. At least 0.
   */
  height?: number | null | undefined;
  /**
   * A sentence about the item. At most 500 characters.
   */
  caption?: string | null | undefined;
  /**
   * When it was uploaded: RFC 3339 with `Z` or an offset.
   */
  uploadedAt?: string | null | undefined;
}

/**
 * The summary of an assessment; the system of record is the provider's. Send at most one of `reportKey` and `reportUrl`; null counts as absent.
 */
export interface Assessment {
  /**
   * The assessment provider's own id of the result. At most 128 characters.
   */
  externalId?: string | null | undefined;
  /**
   * Who assessed. `proctor` is the platform's own proctoring engine.
   */
  provider?: ("proctor" | "partner" | "other") | undefined;
  /**
   * Name of the assessment. 1 to 200 characters.
   */
  name: string;
  /**
   * Where the assessment stands.
   */
  status: "scheduled" | "in_progress" | "completed" | "expired" | "cancelled";
  /**
   * Present once completed, omitted otherwise.
   */
  outcome?: ("pass" | "fail" | "inconclusive") | undefined;
  /**
   * The score. From 0 to 100.
   */
  score?: number | null | undefined;
  /**
   * The highest score that can be reached. At least 0.
   */
  maxScore?: number | null | undefined;
  /**
   * The band that the score falls into. At most 60 characters.
   */
  scoreBand?: string | null | undefined;
  /**
   * Scores by competency. At most 100 items.
   */
  competencies?: Competency[] | undefined;
  /**
   * Opaque key of the full report. Not together with `reportUrl`. At most 512 characters.
   */
  reportKey?: string | null | undefined;
  /**
   * Address of the full report. Not together with `reportKey`. A URI as RFC 3986 has it, of any scheme but `javascript:` and `vbscript:`; kept and returned byte for byte. At most 2048 characters.
   */
  reportUrl?: string | null | undefined;
  /**
   * When it was completed: RFC 3339 with `Z` or an offset.
   */
  completedAt?: string | null | undefined;
  /**
   * When the result ceases to count: RFC 3339 with `Z` or an offset.
   */
  expiresAt?: string | null | undefined;
}

/**
 * The score in one competency.
 */
export interface Competency {
  /**
   * The provider's code of the competency. 1 to 64 characters.
   */
  code: string;
  /**
   * Its name for people. At most 200 characters.
   */
  label?: string | null | undefined;
  /**
   * The score in it. From 0 to 100.
   */
  score?: number | null | undefined;
}

/**
 * Consent to one purpose. It is kept and never interpreted: `consentGiven` alone decides about access.
 */
export interface Consent {
  /**
   * What the consent is for.
   */
  type: "data_processing" | "marketing" | "background_check" | "data_sharing_partners";
  /**
   * Whether it was given.
   */
  granted: boolean;
  /**
   * When it was given: RFC 3339 with `Z` or an offset.
   */
  grantedAt?: string | null | undefined;
  /**
   * The version of the policy that was agreed to. At most 40 characters.
   */
  policyVersion?: string | null | undefined;
}

/**
 * What is to change. A member that is omitted is kept; one that is present replaces the whole member, arrays and objects too; null clears a member that is nullable. Members that are not listed here are refused.
 */
export interface CandidateAmendment {
  /**
   * Given name. 1 to 120 characters.
   */
  firstName?: string | undefined;
  /**
   * Middle name. At most 120 characters.
   */
  middleName?: string | null | undefined;
  /**
   * The name the candidate goes by. At most 120 characters.
   */
  preferredName?: string | null | undefined;
  /**
   * Family name. 1 to 120 characters.
   */
  lastName?: string | undefined;
  /**
   * One line about the candidate. At most 200 characters.
   */
  headline?: string | null | undefined;
  /**
   * The candidate's biography. At most 5000 characters.
   */
  summary?: string | null | undefined;
  /**
   * Telephone number, in any notation. Never returned. At most 32 characters.
   */
  phone?: string | undefined;
  /**
   * `false` withdraws consent: the other members of this body are applied, `candidate.consent_revoked` fires, and from then on reads and amends return 404 `consent_revoked`. An amend with `true` restores access, and `candidate.consent_restored`, an extension, fires.
   */
  consentGiven?: boolean | undefined;
  /**
   * Postal address. Never returned.
   */
  address?: Address | undefined;
  /**
   * What work the candidate looks for.
   */
  jobPreferences?: JobPreferences | undefined;
  /**
   * What the candidate can do. At most 100 items.
   */
  skills?: Skill[] | undefined;
  /**
   * Positions the candidate has held. At most 40 items.
   */
  workHistory?: WorkHistoryItem[] | undefined;
  /**
   * Where the candidate has studied. At most 40 items.
   */
  education?: EducationItem[] | undefined;
  /**
   * Languages the candidate speaks. At most 30 items.
   */
  languages?: LanguageItem[] | undefined;
  /**
   * The right to work, by country. At most 30 items.
   */
  workEligibility?: WorkEligibilityItem[] | undefined;
  /**
   * Replaces the documents that a read shows and, of the sensitive types (`identity_document`, `right_to_work`, `police_clearance`, `medical_certificate`), those that the list names; sensitive documents of other types are kept. **An empty list removes all, sensitive ones too.** A record that shows `[]` may still have sensitive documents: leave the member out to keep them. 50 is the bound of a body, not of what a candidate has. At most 50 items.
   */
  documents?: Document[] | undefined;
  /**
   * Links to profiles and pages. At most 20 items.
   */
  links?: Link[] | undefined;
  /**
   * Photos, videos and audio. At most 30 items.
   */
  media?: MediaItem[] | undefined;
  /**
   * Results of assessments, as a summary. Replaces your entries. The platform's are kept apart and no amend changes them: an entry with `provider` and `externalId` of one of the platform's is ignored. 50 is the bound of a body: a record may return more. At most 50 items.
   */
  assessments?: Assessment[] | undefined;
  /**
   * Consents by purpose, for audits. The entries are kept and never interpreted: `consentGiven` alone decides about access. Never returned. At most 20 items.
   */
  consents?: Consent[] | undefined;
}

/**
 * A request to erase a candidate. Members that are not listed here are refused.
 */
export interface ErasureRequest {
  /**
   * The `externalId` that was given at create. 1 to 128 characters.
   */
  externalId: string;
}

/**
 * Where events are to be sent. Members that are not listed here are refused.
 */
export interface WebhookEndpointRegistration {
  /**
   * An https URL: a host name or a public literal address, without user name and password. Private, loopback, link-local and other special addresses are refused. (The local stack also takes loopback, over http.) At most 2048 characters.
   */
  url: string;
  /**
   * The event types to be sent. A name that is repeated is kept once. Extensions, beyond the contract's event types: `candidate.consent_restored`.
   */
  eventTypes: (
    | "candidate.received"
    | "candidate.verified"
    | "candidate.promoted"
    | "candidate.validation_failed"
    | "candidate.consent_revoked"
    | "candidate.erased"
    | "candidate.consent_restored"
  )[];
  /**
   * Your own note about it. At most 500 characters.
   */
  description?: string | null | undefined;
}

/**
 * What is to change. A member that is omitted is kept, null clears the description, members that are not listed here are refused.
 */
export interface WebhookEndpointUpdate {
  /**
   * An https URL: a host name or a public literal address, without user name and password. Private, loopback, link-local and other special addresses are refused. (The local stack also takes loopback, over http.) At most 2048 characters.
   */
  url?: string | undefined;
  /**
   * The event types to be sent. A name that is repeated is kept once. Extensions, beyond the contract's event types: `candidate.consent_restored`.
   */
  eventTypes?:
    | (
        | "candidate.received"
        | "candidate.verified"
        | "candidate.promoted"
        | "candidate.validation_failed"
        | "candidate.consent_revoked"
        | "candidate.erased"
        | "candidate.consent_restored"
      )[]
    | undefined;
  /**
   * Your own note about it. At most 500 characters.
   */
  description?: string | null | undefined;
  /**
   * False stops deliveries, true starts them again.
   */
  active?: boolean | undefined;
}

/**
 * A candidate was accepted into intake. An idempotent retry of the create fires no second one.
 */
export interface CandidateReceivedEvent {
  /**
   * The event's id, the same as `X-RR-Event-Id`. Deduplicate on it.
   */
  id: string;
  /**
   * What happened.
   */
  type: "candidate.received";
  /**
   * The version of the contract that the event was written by.
   */
  apiVersion: string;
  /**
   * When it happened.
   */
  occurredAt: string;
  /**
   * Counts the candidate's events of every type from 1 without gaps: sort by it, and see from it what is missing. An event of a type that the endpoint is not subscribed to takes a number too. A candidate that is created again within 100 days of its erasure goes on counting. At least 1.
   */
  sequence: number;
  /**
   * Present, and true, only on the sample that a test of the endpoint sends.
   */
  sample?: true | undefined;
  /**
   * What the event is about.
   */
  data: CandidateSnapshot;
}

/**
 * A candidate as it was after the event.
 */
export interface CandidateSnapshot {
  /**
   * The intake handle.
   */
  stagedId: string;
  /**
   * The canonical id; null before promotion.
   */
  id: string | null;
  /**
   * Your own id of the candidate.
   */
  externalId: string;
  /**
   * Where the candidate stands in its lifecycle. Known values: `received`, `validation_failed`, `verified`, `promoted`, `consent_revoked`. A later version of v1 may add others.
   */
  status:
    | "received"
    | "validation_failed"
    | "verified"
    | "promoted"
    | "consent_revoked"
    | (string & Record<never, never>);
  /**
   * `verified` once the identity is verified, `in_review` before. Known values: `in_review`, `verified`. A later version of v1 may add others.
   */
  verificationStatus: "in_review" | "verified" | (string & Record<never, never>);
  /**
   * `available` from promotion on, `pending` before. Known values: `pending`, `available`. A later version of v1 may add others.
   */
  availabilityStatus: "pending" | "available" | (string & Record<never, never>);
}

/**
 * The candidate's identity was verified.
 */
export interface CandidateVerifiedEvent {
  /**
   * The event's id, the same as `X-RR-Event-Id`. Deduplicate on it.
   */
  id: string;
  /**
   * What happened.
   */
  type: "candidate.verified";
  /**
   * The version of the contract that the event was written by.
   */
  apiVersion: string;
  /**
   * When it happened.
   */
  occurredAt: string;
  /**
   * Counts the candidate's events of every type from 1 without gaps: sort by it, and see from it what is missing. An event of a type that the endpoint is not subscribed to takes a number too. A candidate that is created again within 100 days of its erasure goes on counting. At least 1.
   */
  sequence: number;
  /**
   * Present, and true, only on the sample that a test of the endpoint sends.
   */
  sample?: true | undefined;
  /**
   * What the event is about.
   */
  data: CandidateSnapshot;
}

/**
 * The candidate met the exit criteria and is searchable. `data.id` is valid from now on.
 */
export interface CandidatePromotedEvent {
  /**
   * The event's id, the same as `X-RR-Event-Id`. Deduplicate on it.
   */
  id: string;
  /**
   * What happened.
   */
  type: "candidate.promoted";
  /**
   * The version of the contract that the event was written by.
   */
  apiVersion: string;
  /**
   * When it happened.
   */
  occurredAt: string;
  /**
   * Counts the candidate's events of every type from 1 without gaps: sort by it, and see from it what is missing. An event of a type that the endpoint is not subscribed to takes a number too. A candidate that is created again within 100 days of its erasure goes on counting. At least 1.
   */
  sequence: number;
  /**
   * Present, and true, only on the sample that a test of the endpoint sends.
   */
  sample?: true | undefined;
  /**
   * What the event is about.
   */
  data: CandidateSnapshot;
}

/**
 * Intake rejected the candidate for `data.reasons`. It fires again when other reasons follow.
 */
export interface CandidateValidationFailedEvent {
  /**
   * The event's id, the same as `X-RR-Event-Id`. Deduplicate on it.
   */
  id: string;
  /**
   * What happened.
   */
  type: "candidate.validation_failed";
  /**
   * The version of the contract that the event was written by.
   */
  apiVersion: string;
  /**
   * When it happened.
   */
  occurredAt: string;
  /**
   * Counts the candidate's events of every type from 1 without gaps: sort by it, and see from it what is missing. An event of a type that the endpoint is not subscribed to takes a number too. A candidate that is created again within 100 days of its erasure goes on counting. At least 1.
   */
  sequence: number;
  /**
   * Present, and true, only on the sample that a test of the endpoint sends.
   */
  sample?: true | undefined;
  /**
   * What the event is about.
   */
  data: RejectedCandidate;
}

/**
 * A candidate as it was after intake rejected it.
 */
export interface RejectedCandidate {
  /**
   * The intake handle.
   */
  stagedId: string;
  /**
   * The canonical id; null before promotion.
   */
  id: string | null;
  /**
   * Your own id of the candidate.
   */
  externalId: string;
  /**
   * Where the candidate stands in its lifecycle. Known values: `received`, `validation_failed`, `verified`, `promoted`, `consent_revoked`. A later version of v1 may add others.
   */
  status:
    | "received"
    | "validation_failed"
    | "verified"
    | "promoted"
    | "consent_revoked"
    | (string & Record<never, never>);
  /**
   * `verified` once the identity is verified, `in_review` before. Known values: `in_review`, `verified`. A later version of v1 may add others.
   */
  verificationStatus: "in_review" | "verified" | (string & Record<never, never>);
  /**
   * `available` from promotion on, `pending` before. Known values: `pending`, `available`. A later version of v1 may add others.
   */
  availabilityStatus: "pending" | "available" | (string & Record<never, never>);
  /**
   * Why it was rejected.
   */
  reasons: Reason[];
}

/**
 * Why intake rejected a candidate. Neither member holds personal data.
 */
export interface Reason {
  /**
   * For programs.
   */
  code: string;
  /**
   * For people. 1 to 500 characters.
   */
  message: string;
}

/**
 * Consent was withdrawn and access is frozen: reads return 404 `consent_revoked`.
 */
export interface CandidateConsentRevokedEvent {
  /**
   * The event's id, the same as `X-RR-Event-Id`. Deduplicate on it.
   */
  id: string;
  /**
   * What happened.
   */
  type: "candidate.consent_revoked";
  /**
   * The version of the contract that the event was written by.
   */
  apiVersion: string;
  /**
   * When it happened.
   */
  occurredAt: string;
  /**
   * Counts the candidate's events of every type from 1 without gaps: sort by it, and see from it what is missing. An event of a type that the endpoint is not subscribed to takes a number too. A candidate that is created again within 100 days of its erasure goes on counting. At least 1.
   */
  sequence: number;
  /**
   * Present, and true, only on the sample that a test of the endpoint sends.
   */
  sample?: true | undefined;
  /**
   * What the event is about.
   */
  data: CandidateSnapshot;
}

/**
 * The candidate's data was erased. The event carries the handles alone.
 */
export interface CandidateErasedEvent {
  /**
   * The event's id, the same as `X-RR-Event-Id`. Deduplicate on it.
   */
  id: string;
  /**
   * What happened.
   */
  type: "candidate.erased";
  /**
   * The version of the contract that the event was written by.
   */
  apiVersion: string;
  /**
   * When it happened.
   */
  occurredAt: string;
  /**
   * Counts the candidate's events of every type from 1 without gaps: sort by it, and see from it what is missing. An event of a type that the endpoint is not subscribed to takes a number too. A candidate that is created again within 100 days of its erasure goes on counting. At least 1.
   */
  sequence: number;
  /**
   * Present, and true, only on the sample that a test of the endpoint sends.
   */
  sample?: true | undefined;
  /**
   * What the event is about.
   */
  data: ErasedCandidate;
}

/**
 * What is left of an erased candidate.
 */
export interface ErasedCandidate {
  /**
   * The intake handle.
   */
  stagedId: string;
  /**
   * The canonical id; null before promotion.
   */
  id: string | null;
  /**
   * Always `erased`.
   */
  status: "erased";
}

/**
 * Consent was given again and access is restored. `data` shows the statuses from before the withdrawal, which apply again.
 */
export interface CandidateConsentRestoredEvent {
  /**
   * The event's id, the same as `X-RR-Event-Id`. Deduplicate on it.
   */
  id: string;
  /**
   * What happened.
   */
  type: "candidate.consent_restored";
  /**
   * The version of the contract that the event was written by.
   */
  apiVersion: string;
  /**
   * When it happened.
   */
  occurredAt: string;
  /**
   * Counts the candidate's events of every type from 1 without gaps: sort by it, and see from it what is missing. An event of a type that the endpoint is not subscribed to takes a number too. A candidate that is created again within 100 days of its erasure goes on counting. At least 1.
   */
  sequence: number;
  /**
   * Present, and true, only on the sample that a test of the endpoint sends.
   */
  sample?: true | undefined;
  /**
   * What the event is about.
   */
  data: CandidateSnapshot;
}

/**
 * The receipt of a candidate.
 */
export interface CreateResponse {
  /**
   * The intake handle. It stays valid after promotion and resolves to the candidate.
   */
  stagedId: string;
  /**
   * The `externalId` that was sent.
   */
  externalId: string;
  /**
   * Always `received`.
   */
  status: "received";
  /**
   * When the candidate was first received.
   */
  receivedAt: string;
}

/**
 * A candidate in the safe projection: what may be shown to recruiters and partners. It never holds e-mail, phone, date of birth, gender, address, referees or sensitive documents. A later version of v1 may add members.
 */
export interface CandidateRecord {
  /**
   * The canonical id (`cand_…`) once the candidate is promoted; the `stagedId` until then. Either works as `{id}`.
   */
  id: string;
  /**
   * Your own id of the candidate.
   */
  externalId: string;
  /**
   * Given name.
   */
  firstName: string;
  /**
   * Family name.
   */
  lastName: string;
  /**
   * Middle name.
   */
  middleName: string | null;
  /**
   * The name the candidate goes by.
   */
  preferredName: string | null;
  /**
   * One line about the candidate.
   */
  headline: string | null;
  /**
   * The candidate's biography.
   */
  summary: string | null;
  /**
   * Nationality; absent when it was not given. ISO 3166-1 alpha-2: two upper-case letters.
   */
  nationality?: string | undefined;
  /**
   * Country of residence. ISO 3166-1 alpha-2: two upper-case letters.
   */
  countryOfResidence: string;
  /**
   * What the candidate can do.
   */
  skills: RecordSkill[];
  /**
   * Positions the candidate has held.
   */
  workHistory: RecordWorkHistoryItem[];
  /**
   * Where the candidate has studied.
   */
  education: RecordEducationItem[];
  /**
   * Languages the candidate speaks.
   */
  languages: RecordLanguageItem[];
  /**
   * The right to work, by country.
   */
  workEligibility: RecordWorkEligibilityItem[];
  /**
   * What work the candidate looks for.
   */
  jobPreferences: RecordJobPreferences;
  /**
   * Labels of your choice.
   */
  tags: string[];
  /**
   * Documents with their versions, without the sensitive types. An empty list does not say that there are no sensitive ones.
   */
  documents: RecordDocument[];
  /**
   * Links to profiles and pages.
   */
  links: RecordLink[];
  /**
   * Photos, videos and audio.
   */
  media: RecordMediaItem[];
  /**
   * Results of assessments, as a summary: your entries, then those that the platform added or overrode. Of entries with the same `provider` and `externalId` the platform's is returned.
   */
  assessments: RecordAssessment[];
  /**
   * Where the candidate stands in its lifecycle. Known values: `received`, `validation_failed`, `verified`, `promoted`, `consent_revoked`. A later version of v1 may add others.
   */
  status:
    | "received"
    | "validation_failed"
    | "verified"
    | "promoted"
    | "consent_revoked"
    | (string & Record<never, never>);
  /**
   * `available` from promotion on, `pending` before. Known values: `pending`, `available`. A later version of v1 may add others.
   */
  availabilityStatus: "pending" | "available" | (string & Record<never, never>);
  /**
   * `verified` once the identity is verified, `in_review` before. Known values: `in_review`, `verified`. A later version of v1 may add others.
   */
  verificationStatus: "in_review" | "verified" | (string & Record<never, never>);
  /**
   * From 0 to 100, set by the platform's assessment domain; null until it is. From 0 to 100.
   */
  workReadinessScore: number | null;
  /**
   * When the record last changed. It moves forward with every change.
   */
  updatedAt: string;
}

/**
 * A skill, as it is returned.
 */
export interface RecordSkill {
  /**
   * Name of the skill. 1 to 120 characters.
   */
  name: string;
  /**
   * Years of experience, fractions allowed. From 0 to 60.
   */
  yearsExperience: number;
  /**
   * How well the candidate masters it. Known values: `beginner`, `intermediate`, `advanced`, `expert`. A later version of v1 may add others.
   */
  proficiency?: ("beginner" | "intermediate" | "advanced" | "expert") | undefined;
  /**
   * The year in which it was last used. From 1950 to 2100.
   */
  lastUsedYear?: number | undefined;
}

/**
 * A position, as it is returned.
 */
export interface RecordWorkHistoryItem {
  /**
   * Name of the employer. 1 to 200 characters.
   */
  employer: string;
  /**
   * Title of the position. 1 to 200 characters.
   */
  jobTitle: string;
  /**
   * Kind of employment. Known values: `full_time`, `part_time`, `contract`, `temporary`, `internship`, `apprenticeship`, `casual`, `volunteer`. A later version of v1 may add others.
   */
  employmentType?:
    | (
        | "full_time"
        | "part_time"
        | "contract"
        | "temporary"
        | "internship"
        | "apprenticeship"
        | "casual"
        | "volunteer"
      )
    | undefined;
  /**
   * First day, `YYYY-MM-DD`.
   */
  startDate: string;
  /**
   * Last day, `YYYY-MM-DD`; null means that this is the current position.
   */
  endDate: string | null;
  /**
   * Whether this is the current position. It is not derived from `endDate`.
   */
  isCurrent: boolean;
  /**
   * Where the work was done.
   */
  location: string | null;
  /**
   * What the work was about.
   */
  description: string | null;
}

/**
 * A course of study, as it is returned.
 */
export interface RecordEducationItem {
  /**
   * School, university or other institution. 1 to 200 characters.
   */
  institution: string;
  /**
   * The degree or certificate. At most 200 characters.
   */
  qualification?: string | null | undefined;
  /**
   * The subject. At most 200 characters.
   */
  fieldOfStudy?: string | null | undefined;
  /**
   * Whether it was completed. Known values: `completed`, `in_progress`, `incomplete`, `expected`. A later version of v1 may add others.
   */
  completionStatus?: ("completed" | "in_progress" | "incomplete" | "expected") | undefined;
  /**
   * First day, `YYYY-MM-DD`.
   */
  startDate?: string | null | undefined;
  /**
   * Last day, `YYYY-MM-DD`.
   */
  endDate?: string | null | undefined;
  /**
   * Final grade, in the institution's own scale. At most 60 characters.
   */
  grade?: string | null | undefined;
}

/**
 * A language, as it is returned.
 */
export interface RecordLanguageItem {
  /**
   * Name of the language. 2 to 60 characters.
   */
  language: string;
  /**
   * How well the candidate speaks it. Known values: `basic`, `conversational`, `professional`, `fluent`, `native`. A later version of v1 may add others.
   */
  proficiency: "basic" | "conversational" | "professional" | "fluent" | "native";
}

/**
 * The right to work in one target market, as it is returned.
 */
export interface RecordWorkEligibilityItem {
  /**
   * The market that this is about. ISO 3166-1 alpha-2: two upper-case letters.
   */
  country: string;
  /**
   * The candidate's right to work there. Known values: `citizen`, `permanent_resident`, `work_visa`, `requires_sponsorship`, `student_visa`, `not_eligible`, `unknown`. A later version of v1 may add others.
   */
  status:
    | "citizen"
    | "permanent_resident"
    | "work_visa"
    | "requires_sponsorship"
    | "student_visa"
    | "not_eligible"
    | "unknown";
  /**
   * Kind of visa, where there is one. At most 120 characters.
   */
  visaType?: string | null | undefined;
  /**
   * The day on which the right ends, `YYYY-MM-DD`.
   */
  expiresAt?: string | null | undefined;
}

/**
 * What work a candidate looks for, as it is returned.
 */
export interface RecordJobPreferences {
  /**
   * Job titles that the candidate looks for.
   */
  desiredTitles: string[];
  /**
   * Kinds of employment that the candidate would take. At most 8 items.
   *
   * Items: Known values: `full_time`, `part_time`, `contract`, `temporary`, `internship`, `apprenticeship`, `casual`, `volunteer`. A later version of v1 may add others.
   */
  employmentTypes: (
    | "full_time"
    | "part_time"
    | "contract"
    | "temporary"
    | "internship"
    | "apprenticeship"
    | "casual"
    | "volunteer"
  )[];
  /**
   * Countries the candidate would work in. ISO 3166-1 alpha-2: two upper-case letters.
   */
  preferredCountries: string[];
  /**
   * Whether the candidate would move for the work; null when not asked.
   */
  openToRelocation?: boolean | null | undefined;
  /**
   * Whether the candidate would work remotely; null when not asked.
   */
  openToRemote?: boolean | null | undefined;
  /**
   * What the candidate expects to earn.
   */
  salaryExpectation?: RecordSalaryExpectation | undefined;
}

/**
 * What a candidate expects to earn, as it is returned.
 */
export interface RecordSalaryExpectation {
  /**
   * ISO 4217: three upper-case letters.
   */
  currency: string;
  /**
   * The least expected, in the currency's main unit. At least 0.
   */
  min?: number | null | undefined;
  /**
   * The most expected, in the currency's main unit. At least 0.
   */
  max?: number | null | undefined;
  /**
   * The period that the amounts are for. Known values: `hourly`, `daily`, `weekly`, `monthly`, `annual`. A later version of v1 may add others.
   */
  period: "hourly" | "daily" | "weekly" | "monthly" | "annual";
}

/**
 * A document with its versions, as it is returned.
 */
export interface RecordDocument {
  /**
   * What kind of document this is. Known values: `cv`, `cover_letter`, `resume_supplement`, `certification`, `qualification`, `academic_transcript`, `reference_letter`, `portfolio`, `video_introduction`, `work_sample`, `other`. A later version of v1 may add others.
   */
  documentType:
    | "cv"
    | "cover_letter"
    | "resume_supplement"
    | "certification"
    | "qualification"
    | "academic_transcript"
    | "reference_letter"
    | "portfolio"
    | "video_introduction"
    | "work_sample"
    | "other";
  /**
   * A name for people.
   */
  label: string | null;
  /**
   * The version that counts: one of `versions[].version`. At least 1.
   */
  currentVersion: number;
  /**
   * Every version, in any order. Version numbers are unique within the document.
   */
  versions: RecordDocumentVersion[];
}

/**
 * One version of a document, as it is returned.
 */
export interface RecordDocumentVersion {
  /**
   * Number of the version, unique within the document. At least 1.
   */
  version: number;
  /**
   * Where the file is kept. A URI as RFC 3986 has it, of any scheme but `javascript:` and `vbscript:`; kept and returned byte for byte. At most 2048 characters.
   */
  url: string;
  /**
   * Name of the file.
   */
  fileName: string | null;
  /**
   * MIME type of the file.
   */
  contentType: string | null;
  /**
   * Size of the file in bytes. From 0 to 524288000.
   */
  sizeBytes: number | null;
  /**
   * When this version was uploaded: RFC 3339 with `Z` or an offset.
   */
  uploadedAt: string;
  /**
   * Integrity hash of the file, in a form of your choice.
   */
  checksum: string | null;
  /**
   * Your own id of who uploaded it.
   */
  uploadedByExternalId: string | null;
}

/**
 * A link, as it is returned.
 */
export interface RecordLink {
  /**
   * Where the link leads to. Known values: `linkedin`, `github`, `portfolio`, `twitter`, `website`, `other`. A later version of v1 may add others.
   */
  type: "linkedin" | "github" | "portfolio" | "twitter" | "website" | "other";
  /**
   * The address. A URI as RFC 3986 has it, of any scheme but `javascript:` and `vbscript:`; kept and returned byte for byte. At most 2048 characters.
   */
  url: string;
  /**
   * A name for people. At most 120 characters.
   */
  label?: string | null | undefined;
}

/**
 * A photo, a video or audio, as it is returned.
 */
export interface RecordMediaItem {
  /**
   * What the item shows. Known values: `profile_photo`, `intro_video`, `portfolio_image`, `portfolio_video`, `audio`, `other`. A later version of v1 may add others.
   */
  kind: "profile_photo" | "intro_video" | "portfolio_image" | "portfolio_video" | "audio" | "other";
  /**
   * Opaque storage key. Exchange it with `provider` for a short-lived signed URL; it cannot be fetched itself. At most 512 characters.
   */
  assetKey?: string | null | undefined;
  /**
   * Who signs `assetKey`; meaningful only with it. Known values: `partner`, `platform`. A later version of v1 may add others.
   */
  provider: "partner" | "platform";
  /**
   * A link that can be used as it is. A URI as RFC 3986 has it, of any scheme but `javascript:` and `vbscript:`; kept and returned byte for byte. At most 2048 characters.
   */
  url?: string | null | undefined;
  /**
   * MIME type. At most 127 characters.
   */
  contentType?: string | null | undefined;
  /**
   * Name of the file. At most 255 characters.
   */
  fileName?: string | null | undefined;
  /**
   * Size in bytes. From 0 to 524288000.
   */
  sizeBytes?: number | null | undefined;
  /**
   * Length of a video or of audio, in seconds. At least 0.
   */
  durationSeconds?: number | null | undefined;
  /**
   * Width in pixels. At least 0.
   */
  width?: number | null | undefined;
  /**
   * Height in pixels. At least 0.
   */
  height?: number | null | undefined;
  /**
   * A sentence about the item. At most 500 characters.
   */
  caption?: string | null | undefined;
  /**
   * When it was uploaded: RFC 3339 with `Z` or an offset.
   */
  uploadedAt?: string | null | undefined;
}

/**
 * The summary of an assessment, as it is returned.
 */
export interface RecordAssessment {
  /**
   * The assessment provider's own id of the result. At most 128 characters.
   */
  externalId?: string | null | undefined;
  /**
   * Who assessed. `proctor` is the platform's own proctoring engine. Known values: `proctor`, `partner`, `other`. A later version of v1 may add others.
   */
  provider: "proctor" | "partner" | "other";
  /**
   * Name of the assessment. 1 to 200 characters.
   */
  name: string;
  /**
   * Where the assessment stands. Known values: `scheduled`, `in_progress`, `completed`, `expired`, `cancelled`. A later version of v1 may add others.
   */
  status: "scheduled" | "in_progress" | "completed" | "expired" | "cancelled";
  /**
   * Present once completed, omitted otherwise. Known values: `pass`, `fail`, `inconclusive`. A later version of v1 may add others.
   */
  outcome?: ("pass" | "fail" | "inconclusive") | undefined;
  /**
   * The score. From 0 to 100.
   */
  score?: number | null | undefined;
  /**
   * The highest score that can be reached. At least 0.
   */
  maxScore?: number | null | undefined;
  /**
   * The band that the score falls into. At most 60 characters.
   */
  scoreBand?: string | null | undefined;
  /**
   * Scores by competency.
   */
  competencies: RecordCompetency[];
  /**
   * Opaque key of the full report. Not together with `reportUrl`. At most 512 characters.
   */
  reportKey?: string | null | undefined;
  /**
   * Address of the full report. Not together with `reportKey`. A URI as RFC 3986 has it, of any scheme but `javascript:` and `vbscript:`; kept and returned byte for byte. At most 2048 characters.
   */
  reportUrl?: string | null | undefined;
  /**
   * When it was completed: RFC 3339 with `Z` or an offset.
   */
  completedAt?: string | null | undefined;
  /**
   * When the result ceases to count: RFC 3339 with `Z` or an offset.
   */
  expiresAt?: string | null | undefined;
}

/**
 * The score in one competency, as it is returned.
 */
export interface RecordCompetency {
  /**
   * The provider's code of the competency. 1 to 64 characters.
   */
  code: string;
  /**
   * Its name for people. At most 200 characters.
   */
  label?: string | null | undefined;
  /**
   * The score in it. From 0 to 100.
   */
  score?: number | null | undefined;
}

/**
 * An endpoint as it is registered.
 */
export interface CreatedWebhookEndpoint {
  /**
   * The endpoint's id.
   */
  id: string;
  /**
   * Where deliveries are sent.
   */
  url: string;
  /**
   * The event types that are sent to it.
   *
   * Items: Known values: `candidate.received`, `candidate.verified`, `candidate.promoted`, `candidate.validation_failed`, `candidate.consent_revoked`, `candidate.erased`, `candidate.consent_restored`. A later version of v1 may add others.
   */
  eventTypes: (
    | "candidate.received"
    | "candidate.verified"
    | "candidate.promoted"
    | "candidate.validation_failed"
    | "candidate.consent_revoked"
    | "candidate.erased"
    | "candidate.consent_restored"
  )[];
  /**
   * Whether deliveries are sent. A receiver's `410 Gone` makes it false, and so do five days in which it took nothing and ten attempts failed on three days.
   */
  active: boolean;
  /**
   * When it was registered.
   */
  createdAt: string;
  /**
   * Your own note about it; null when there is none.
   */
  description: string | null;
  /**
   * The secret that signs deliveries. **Keep it: it is shown once and cannot be read again.**
   */
  signingSecret: string;
}

/**
 * Every endpoint of the organisation.
 */
export interface WebhookEndpointList {
  /**
   * The endpoints, oldest first; there are 50 at most.
   */
  data: WebhookEndpoint[];
}

/**
 * A registered endpoint.
 */
export interface WebhookEndpoint {
  /**
   * The endpoint's id.
   */
  id: string;
  /**
   * Where deliveries are sent.
   */
  url: string;
  /**
   * The event types that are sent to it.
   *
   * Items: Known values: `candidate.received`, `candidate.verified`, `candidate.promoted`, `candidate.validation_failed`, `candidate.consent_revoked`, `candidate.erased`, `candidate.consent_restored`. A later version of v1 may add others.
   */
  eventTypes: (
    | "candidate.received"
    | "candidate.verified"
    | "candidate.promoted"
    | "candidate.validation_failed"
    | "candidate.consent_revoked"
    | "candidate.erased"
    | "candidate.consent_restored"
  )[];
  /**
   * Whether deliveries are sent. A receiver's `410 Gone` makes it false, and so do five days in which it took nothing and ten attempts failed on three days.
   */
  active: boolean;
  /**
   * When it was registered.
   */
  createdAt: string;
  /**
   * Your own note about it; null when there is none.
   */
  description: string | null;
}

/**
 * A page of an endpoint's deliveries.
 */
export interface WebhookDeliveryPage {
  /**
   * The deliveries, newest event first.
   */
  data: WebhookDelivery[];
  /**
   * The `cursor` of the next page; absent on the last one.
   */
  nextCursor?: string | undefined;
}

/**
 * What became of an event at an endpoint.
 */
export interface WebhookDelivery {
  /**
   * The event's id.
   */
  eventId: string;
  /**
   * What happened. Known values: `candidate.received`, `candidate.verified`, `candidate.promoted`, `candidate.validation_failed`, `candidate.consent_revoked`, `candidate.erased`, `candidate.consent_restored`. A later version of v1 may add others.
   */
  eventType:
    | "candidate.received"
    | "candidate.verified"
    | "candidate.promoted"
    | "candidate.validation_failed"
    | "candidate.consent_revoked"
    | "candidate.erased"
    | "candidate.consent_restored";
  /**
   * `pending`: not acknowledged yet. `delivered`: acknowledged with 2xx. `failed`: it exhausted its attempts. `dropped`: ended with the endpoint, which returned 410 or was inactive, or with the candidate, which was erased: see `reason`. Known values: `pending`, `delivered`, `failed`, `dropped`. A later version of v1 may add others.
   */
  status: "pending" | "delivered" | "failed" | "dropped";
  /**
   * Every attempt so far, oldest first.
   */
  attempts: DeliveryAttempt[];
  /**
   * When the next attempt is due; present while there is one.
   */
  nextAttemptAt?: string | undefined;
  /**
   * Why it was dropped, unless that is because of the endpoint. `candidate_erased`: the candidate was erased after the event fired. Known values: `candidate_erased`. A later version of v1 may add others.
   */
  reason?: "candidate_erased" | (string & Record<never, never>) | undefined;
  /**
   * Present, and true, only on a sample.
   */
  sample?: true | undefined;
}

/**
 * One attempt of a delivery: with `statusCode`, or with `failure` where there was no response.
 */
export interface DeliveryAttempt {
  /**
   * Counts from 1; from 1 again when the delivery is sent once more.
   */
  attempt: number;
  /**
   * When it was made.
   */
  at: string;
  /**
   * The time to the response's headers, or to the failure, in milliseconds.
   */
  durationMs: number;
  /**
   * The status code of the receiver's response.
   */
  statusCode?: number | undefined;
  /**
   * Why there was no response. Known values: `address_refused`, `connection_failed`, `name_not_resolved`, `timeout`, `tls_failed`. A later version of v1 may add others.
   */
  failure?:
    | "address_refused"
    | "connection_failed"
    | "name_not_resolved"
    | "timeout"
    | "tls_failed"
    | (string & Record<never, never>)
    | undefined;
}

/**
 * An endpoint with its new secret.
 */
export interface RotatedWebhookEndpoint {
  /**
   * The endpoint's id.
   */
  id: string;
  /**
   * Where deliveries are sent.
   */
  url: string;
  /**
   * The event types that are sent to it.
   *
   * Items: Known values: `candidate.received`, `candidate.verified`, `candidate.promoted`, `candidate.validation_failed`, `candidate.consent_revoked`, `candidate.erased`, `candidate.consent_restored`. A later version of v1 may add others.
   */
  eventTypes: (
    | "candidate.received"
    | "candidate.verified"
    | "candidate.promoted"
    | "candidate.validation_failed"
    | "candidate.consent_revoked"
    | "candidate.erased"
    | "candidate.consent_restored"
  )[];
  /**
   * Whether deliveries are sent. A receiver's `410 Gone` makes it false, and so do five days in which it took nothing and ten attempts failed on three days.
   */
  active: boolean;
  /**
   * When it was registered.
   */
  createdAt: string;
  /**
   * Your own note about it; null when there is none.
   */
  description: string | null;
  /**
   * The secret that signs deliveries. **Keep it: it is shown once and cannot be read again.**
   */
  signingSecret: string;
  /**
   * Until when deliveries are signed with the secret before, too, in `X-RR-Signature-Previous`.
   */
  previousSecretExpiresAt: string;
}

/**
 * The type of an event.
 */
export type EventType =
  | "candidate.received"
  | "candidate.verified"
  | "candidate.promoted"
  | "candidate.validation_failed"
  | "candidate.consent_revoked"
  | "candidate.erased"
  | "candidate.consent_restored";

/**
 * The body of a delivery; its `type` tells which event it is.
 */
export type WebhookEvent =
  | CandidateReceivedEvent
  | CandidateVerifiedEvent
  | CandidatePromotedEvent
  | CandidateValidationFailedEvent
  | CandidateConsentRevokedEvent
  | CandidateErasedEvent
  | CandidateConsentRestoredEvent;

/**
 * What it is, for programs. Known values: `invalid_request`, `unauthorized`, `not_found`, `consent_revoked`, `method_not_allowed`, `precondition_failed`, `payload_too_large`, `unsupported_media_type`, `rate_limited`, `internal_error`, `service_unavailable`, `timeout`. A later version of v1 may add others.
 */
export type ErrorCode =
  | "invalid_request"
  | "unauthorized"
  | "not_found"
  | "consent_revoked"
  | "method_not_allowed"
  | "precondition_failed"
  | "payload_too_large"
  | "unsupported_media_type"
  | "rate_limited"
  | "internal_error"
  | "service_unavailable"
  | "timeout"
  | (string & Record<never, never>);
