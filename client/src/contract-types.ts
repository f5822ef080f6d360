// Made from the OpenAPI description by `npm run client`: change the schemas in lib/contract.

/**
 * A candidate to create in intake. Members that are not listed here are refused, at every depth.
 */
export interface CandidateSubmission {
  /**
   * Your own stable id for the candidate. Creating is idempotent on it within your organisation. 1 to 128 characters.
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
   * The name by which the candidate prefers to be called. At most 120 characters.
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
   * E-mail address, with its case preserved. Never returned. At most 254 characters.
   */
  email: string;
  /**
   * Telephone number, in any format. Never returned. At most 32 characters.
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
   * Nationality. ISO 3166-1 alpha-2: any two upper-case letters are accepted.
   */
  nationality?: string | undefined;
  /**
   * Country of residence. ISO 3166-1 alpha-2: any two upper-case letters are accepted.
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
   * The candidate's job preferences.
   */
  jobPreferences?: JobPreferences | undefined;
  /**
   * The source of the candidate. Never returned.
   */
  source?: Source | undefined;
  /**
   * The candidate's skills. At most 100 items.
   */
  skills?: Skill[] | undefined;
  /**
   * The candidate's positions. At most 40 items.
   */
  workHistory?: WorkHistoryItem[] | undefined;
  /**
   * The candidate's education. At most 40 items.
   */
  education?: EducationItem[] | undefined;
  /**
   * The candidate's languages. At most 30 items.
   */
  languages?: LanguageItem[] | undefined;
  /**
   * The right to work, by country. At most 30 items.
   */
  workEligibility?: WorkEligibilityItem[] | undefined;
  /**
   * The candidate's referees. Never returned. At most 10 items.
   */
  referees?: Referee[] | undefined;
  /**
   * Labels of your choice. At most 50 items.
   */
  tags?: string[] | undefined;
  /**
   * Documents with their versions. Types `identity_document`, `right_to_work`, `police_clearance` and `medical_certificate` are sensitive: they are stored, but never returned. At most 50 items.
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
   * Summaries of assessment results. At most 50 items.
   */
  assessments?: Assessment[] | undefined;
  /**
   * Consents by purpose, for audits. The entries are stored but not interpreted: only `consentGiven` controls access. Never returned. At most 20 items.
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
   * Second address line. At most 200 characters.
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
   * Country. ISO 3166-1 alpha-2: any two upper-case letters are accepted.
   */
  country: string;
}

/**
 * A candidate's job preferences.
 */
export interface JobPreferences {
  /**
   * Job titles that the candidate is looking for. At most 20 items.
   */
  desiredTitles?: string[] | undefined;
  /**
   * Types of employment that the candidate would accept. At most 8 items.
   */
  employmentTypes?: EmploymentType[] | undefined;
  /**
   * Countries the candidate would work in. ISO 3166-1 alpha-2: any two upper-case letters are accepted. At most 30 items.
   */
  preferredCountries?: string[] | undefined;
  /**
   * Whether the candidate would relocate; null if not asked.
   */
  openToRelocation?: boolean | null | undefined;
  /**
   * Whether the candidate would work remotely; null if not asked.
   */
  openToRemote?: boolean | null | undefined;
  /**
   * The salary that the candidate expects.
   */
  salaryExpectation?: SalaryExpectation | undefined;
}

/**
 * The salary that a candidate expects.
 */
export interface SalaryExpectation {
  /**
   * ISO 4217: any three upper-case letters are accepted.
   */
  currency: string;
  /**
   * The lowest expected salary, in the currency's main unit. At least 0.
   */
  min?: number | null | undefined;
  /**
   * The highest expected salary, in the currency's main unit. At least 0.
   */
  max?: number | null | undefined;
  /**
   * The period of the amounts.
   */
  period?: ("hourly" | "daily" | "weekly" | "monthly" | "annual") | undefined;
}

/**
 * The source of a candidate.
 */
export interface Source {
  /**
   * The provider of the candidate. At most 60 characters.
   */
  provider?: string | undefined;
  /**
   * The channel, for example `referral`. At most 120 characters.
   */
  sourceChannel?: string | null | undefined;
  /**
   * The campaign. At most 120 characters.
   */
  campaign?: string | null | undefined;
  /**
   * When the candidate was submitted to you: RFC 3339 with `Z` or an offset.
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
   * Years of experience. Fractions are allowed. From 0 to 60.
   */
  yearsExperience: number;
  /**
   * The candidate's proficiency in it.
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
   * Type of employment.
   */
  employmentType?: EmploymentType | undefined;
  /**
   * First day, `YYYY-MM-DD`.
   */
  startDate: string;
  /**
   * Last day, `YYYY-MM-DD`; null for the current position.
   */
  endDate?: string | null | undefined;
  /**
   * Whether this is the current position. It is neither derived from `endDate` nor compared with it.
   */
  isCurrent?: boolean | undefined;
  /**
   * Place of work. At most 200 characters.
   */
  location?: string | null | undefined;
  /**
   * Description of the work. At most 4000 characters.
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
   * Final grade, on the institution's own scale. At most 60 characters.
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
   * The candidate's proficiency in it.
   */
  proficiency: "basic" | "conversational" | "professional" | "fluent" | "native";
}

/**
 * The right to work in one target market.
 */
export interface WorkEligibilityItem {
  /**
   * The target market. ISO 3166-1 alpha-2: any two upper-case letters are accepted.
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
   * Type of visa, if any. At most 120 characters.
   */
  visaType?: string | null | undefined;
  /**
   * The last day of the right, `YYYY-MM-DD`.
   */
  expiresAt?: string | null | undefined;
}

/**
 * A referee of the candidate: personal data, never returned.
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
   * The referee's employer. At most 200 characters.
   */
  company?: string | null | undefined;
  /**
   * E-mail address. At most 254 characters.
   */
  email?: string | null | undefined;
  /**
   * Telephone number, in any format. At most 32 characters.
   */
  phone?: string | null | undefined;
}

/**
 * A document with its versions. `currentVersion` must be one of `versions[].version`, and version numbers must be unique within the document.
 */
export interface Document {
  /**
   * Type of the document.
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
   * A display name. At most 200 characters.
   */
  label?: string | null | undefined;
  /**
   * The current version: one of `versions[].version`. At least 1.
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
   * Location of the file. A URI (RFC 3986) with any scheme except `javascript:` and `vbscript:`. Stored and returned byte for byte. At most 2048 characters.
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
   * Checksum of the file, in a format of your choice. At most 128 characters.
   */
  checksum?: string | null | undefined;
  /**
   * Your own id of the uploader. At most 128 characters.
   */
  uploadedByExternalId?: string | null | undefined;
}

/**
 * A link.
 */
export interface Link {
  /**
   * Type of the link target.
   */
  type: "linkedin" | "github" | "portfolio" | "twitter" | "website" | "other";
  /**
   * The address. A URI (RFC 3986) with any scheme except `javascript:` and `vbscript:`. Stored and returned byte for byte. At most 2048 characters.
   */
  url: string;
  /**
   * A display name. At most 120 characters.
   */
  label?: string | null | undefined;
}

/**
 * A photo, video or audio. Send exactly one of `assetKey` (with `provider`) and `url`. Null counts as absent.
 */
export interface MediaItem {
  /**
   * Type of the item's content.
   */
  kind: "profile_photo" | "intro_video" | "portfolio_image" | "portfolio_video" | "audio" | "other";
  /**
   * Opaque storage key. Exchange it with `provider` for a short-lived signed URL. It cannot be fetched directly. At most 512 characters.
   */
  assetKey?: string | null | undefined;
  /**
   * The provider that signs `assetKey`. Only meaningful together with it.
   */
  provider?: ("partner" | "platform") | undefined;
  /**
   * A link that can be used directly. A URI (RFC 3986) with any scheme except `javascript:` and `vbscript:`. Stored and returned byte for byte. At most 2048 characters.
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
   * Duration of a video or audio, in seconds. At least 0.
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
   * Caption of the item. At most 500 characters.
   */
  caption?: string | null | undefined;
  /**
   * When it was uploaded: RFC 3339 with `Z` or an offset.
   */
  uploadedAt?: string | null | undefined;
}

/**
 * The summary of an assessment. The provider's system is the system of record. Send at most one of `reportKey` and `reportUrl`. Null counts as absent.
 */
export interface Assessment {
  /**
   * The assessment provider's own id of the result. At most 128 characters.
   */
  externalId?: string | null | undefined;
  /**
   * The assessment provider. `proctor` is the platform's own proctoring engine.
   */
  provider?: ("proctor" | "partner" | "other") | undefined;
  /**
   * Name of the assessment. 1 to 200 characters.
   */
  name: string;
  /**
   * Status of the assessment.
   */
  status: "scheduled" | "in_progress" | "completed" | "expired" | "cancelled";
  /**
   * Present if completed, otherwise omitted.
   */
  outcome?: ("pass" | "fail" | "inconclusive") | undefined;
  /**
   * The score. From 0 to 100.
   */
  score?: number | null | undefined;
  /**
   * The highest possible score. At least 0.
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
   * Address of the full report. Not together with `reportKey`. A URI (RFC 3986) with any scheme except `javascript:` and `vbscript:`. Stored and returned byte for byte. At most 2048 characters.
   */
  reportUrl?: string | null | undefined;
  /**
   * When it was completed: RFC 3339 with `Z` or an offset.
   */
  completedAt?: string | null | undefined;
  /**
   * When the result expires: RFC 3339 with `Z` or an offset.
   */
  expiresAt?: string | null | undefined;
}

/**
 * The score for one competency.
 */
export interface Competency {
  /**
   * The provider's code for the competency. 1 to 64 characters.
   */
  code: string;
  /**
   * Its display name. At most 200 characters.
   */
  label?: string | null | undefined;
  /**
   * The score for this competency. From 0 to 100.
   */
  score?: number | null | undefined;
}

/**
 * Consent to one purpose. It is stored but not interpreted: only `consentGiven` controls access.
 */
export interface Consent {
  /**
   * The purpose of the consent.
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
   * The accepted version of the policy. At most 40 characters.
   */
  policyVersion?: string | null | undefined;
}

/**
 * Candidates to create in one request.
 */
export interface CandidateBatch {
  /**
   * The candidates. Each is validated separately: an invalid one is refused in its result, and the others are created. At most 100 items.
   */
  candidates: CandidateSubmission[];
}

/**
 * The changes. An omitted member is kept; a member that is present is replaced as a whole, including arrays and objects; null clears a nullable member. Members that are not listed here are refused.
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
   * The name by which the candidate prefers to be called. At most 120 characters.
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
   * Telephone number, in any format. Never returned. At most 32 characters.
   */
  phone?: string | undefined;
  /**
   * `false` withdraws consent: the other members of this body are applied, `candidate.consent_revoked` fires, and from then on reads and amends return 404 `consent_revoked`. An amend with `true` restores access, and `candidate.consent_restored` (an extension) fires.
   */
  consentGiven?: boolean | undefined;
  /**
   * Postal address. Never returned.
   */
  address?: Address | undefined;
  /**
   * The candidate's job preferences.
   */
  jobPreferences?: JobPreferences | undefined;
  /**
   * The candidate's skills. At most 100 items.
   */
  skills?: Skill[] | undefined;
  /**
   * The candidate's positions. At most 40 items.
   */
  workHistory?: WorkHistoryItem[] | undefined;
  /**
   * The candidate's education. At most 40 items.
   */
  education?: EducationItem[] | undefined;
  /**
   * The candidate's languages. At most 30 items.
   */
  languages?: LanguageItem[] | undefined;
  /**
   * The right to work, by country. At most 30 items.
   */
  workEligibility?: WorkEligibilityItem[] | undefined;
  /**
   * Replaces the documents that reads return. Of the sensitive types (`identity_document`, `right_to_work`, `police_clearance`, `medical_certificate`) it replaces only those in the list; sensitive documents of other types are kept. **An empty list removes all documents, including sensitive ones.** A record with `[]` may still have sensitive documents: omit the member to keep them. A body may list up to 50; a candidate may have more. At most 50 items.
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
   * Summaries of assessment results. Replaces your entries. The platform's entries are stored separately, and no amend changes them: an entry with the same `provider` and `externalId` as a platform entry is ignored. A body may list up to 50; a record may return more. At most 50 items.
   */
  assessments?: Assessment[] | undefined;
  /**
   * Consents by purpose, for audits. The entries are stored but not interpreted: only `consentGiven` controls access. Never returned. At most 20 items.
   */
  consents?: Consent[] | undefined;
}

/**
 * A request to erase a candidate. Members that are not listed here are refused.
 */
export interface ErasureRequest {
  /**
   * The `externalId` given at create. 1 to 128 characters.
   */
  externalId: string;
}

/**
 * The endpoint to register. Members that are not listed here are refused.
 */
export interface WebhookEndpointRegistration {
  /**
   * An https URL with a host name or a public IP address, without user name and password. Private, loopback, link-local and other special addresses are refused. (The local stack also accepts loopback, over http.) Its port must be 443, or 1024 or above. A host name has at most 253 characters, in labels of 1 to 63 letters, digits, `-` and `_`, and does not begin with `-`. At most 2048 characters.
   */
  url: string;
  /**
   * The event types to receive. Duplicates are removed. Extensions beyond the contract's event types: `candidate.consent_restored`, `webhook_endpoint.failing`, `webhook_endpoint.disabled`. At most 100 items.
   */
  eventTypes: EventType[];
  /**
   * Your own note. At most 500 characters.
   */
  description?: string | null | undefined;
}

/**
 * The changes. An omitted member is kept. Null clears the description. Members that are not listed here are refused.
 */
export interface WebhookEndpointUpdate {
  /**
   * An https URL with a host name or a public IP address, without user name and password. Private, loopback, link-local and other special addresses are refused. (The local stack also accepts loopback, over http.) Its port must be 443, or 1024 or above. A host name has at most 253 characters, in labels of 1 to 63 letters, digits, `-` and `_`, and does not begin with `-`. At most 2048 characters.
   */
  url?: string | undefined;
  /**
   * The event types to receive. Duplicates are removed. Extensions beyond the contract's event types: `candidate.consent_restored`, `webhook_endpoint.failing`, `webhook_endpoint.disabled`. At most 100 items.
   */
  eventTypes?: EventType[] | undefined;
  /**
   * Your own note. At most 500 characters.
   */
  description?: string | null | undefined;
  /**
   * False stops deliveries, true resumes them.
   */
  active?: boolean | undefined;
}

/**
 * The events that a recovery sends.
 */
export interface RecoveryRequest {
  /**
   * Events since this time (RFC 3339). The feed must still contain them.
   */
  since: string;
  /**
   * Events until this time, within a second, except those that the service publishes more than five seconds after it: these are delivered like new events. If it is omitted or in the future, the time of the call.
   */
  until?: string | undefined;
  /**
   * The types of the events. If omitted, those that the endpoint is subscribed to. At most 100 items.
   */
  eventTypes?: EventType[] | undefined;
}

/**
 * The body of a transition in the sandbox. Members that are not listed here are refused.
 */
export interface SandboxTransitionRequest {
  /**
   * Why validation failed. Required for `fail-validation`, refused for the others. At most 50 items.
   */
  reasons?: Reason[] | undefined;
}

/**
 * Why intake rejected a candidate. The platform must not put personal data into either member, but nothing checks this: handle both like personal data. Members that are not listed here are refused.
 */
export interface Reason {
  /**
   * A code for programs.
   */
  code: string;
  /**
   * A sentence for people. 1 to 500 characters.
   */
  message: string;
}

/**
 * A candidate was accepted into intake. An idempotent retry of the create fires no second event.
 */
export interface CandidateReceivedEvent {
  /**
   * The event's id, the same as `X-RR-Event-Id`. Deduplicate by it.
   */
  id: string;
  /**
   * The type of the event.
   */
  type: "candidate.received";
  /**
   * The version of the contract to which the event conforms.
   */
  apiVersion: string;
  /**
   * When it happened.
   */
  occurredAt: string;
  /**
   * Numbers the candidate's events of all types from 1 without gaps. Sort by it, and use it to detect missing events. Events of types to which the endpoint is not subscribed have numbers too. If a candidate is created again within 100 days of its erasure, the count continues. At least 1.
   */
  sequence: number;
  /**
   * Present, and true, only in the sample sent by a test of the endpoint.
   */
  sample?: true | undefined;
  /**
   * The content of the event.
   */
  data: CandidateSnapshot;
}

/**
 * A candidate after the event.
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
   * The candidate's status in its lifecycle. Known values: `received`, `validation_failed`, `verified`, `promoted`, `consent_revoked`. A later version of v1 may add others.
   */
  status:
    | "received"
    | "validation_failed"
    | "verified"
    | "promoted"
    | "consent_revoked"
    | (string & Record<never, never>);
  /**
   * `verified` after the identity is verified, `in_review` before. Known values: `in_review`, `verified`. A later version of v1 may add others.
   */
  verificationStatus: "in_review" | "verified" | (string & Record<never, never>);
  /**
   * `available` after promotion, unless consent is withdrawn; otherwise `pending`. Known values: `pending`, `available`. A later version of v1 may add others.
   */
  availabilityStatus: "pending" | "available" | (string & Record<never, never>);
}

/**
 * The candidate's identity was verified.
 */
export interface CandidateVerifiedEvent {
  /**
   * The event's id, the same as `X-RR-Event-Id`. Deduplicate by it.
   */
  id: string;
  /**
   * The type of the event.
   */
  type: "candidate.verified";
  /**
   * The version of the contract to which the event conforms.
   */
  apiVersion: string;
  /**
   * When it happened.
   */
  occurredAt: string;
  /**
   * Numbers the candidate's events of all types from 1 without gaps. Sort by it, and use it to detect missing events. Events of types to which the endpoint is not subscribed have numbers too. If a candidate is created again within 100 days of its erasure, the count continues. At least 1.
   */
  sequence: number;
  /**
   * Present, and true, only in the sample sent by a test of the endpoint.
   */
  sample?: true | undefined;
  /**
   * The content of the event.
   */
  data: CandidateSnapshot;
}

/**
 * The candidate met the exit criteria and is searchable. `data.id` is valid from now on.
 */
export interface CandidatePromotedEvent {
  /**
   * The event's id, the same as `X-RR-Event-Id`. Deduplicate by it.
   */
  id: string;
  /**
   * The type of the event.
   */
  type: "candidate.promoted";
  /**
   * The version of the contract to which the event conforms.
   */
  apiVersion: string;
  /**
   * When it happened.
   */
  occurredAt: string;
  /**
   * Numbers the candidate's events of all types from 1 without gaps. Sort by it, and use it to detect missing events. Events of types to which the endpoint is not subscribed have numbers too. If a candidate is created again within 100 days of its erasure, the count continues. At least 1.
   */
  sequence: number;
  /**
   * Present, and true, only in the sample sent by a test of the endpoint.
   */
  sample?: true | undefined;
  /**
   * The content of the event.
   */
  data: CandidateSnapshot;
}

/**
 * Intake rejected the candidate for `data.reasons`. The event fires again if the reasons change.
 */
export interface CandidateValidationFailedEvent {
  /**
   * The event's id, the same as `X-RR-Event-Id`. Deduplicate by it.
   */
  id: string;
  /**
   * The type of the event.
   */
  type: "candidate.validation_failed";
  /**
   * The version of the contract to which the event conforms.
   */
  apiVersion: string;
  /**
   * When it happened.
   */
  occurredAt: string;
  /**
   * Numbers the candidate's events of all types from 1 without gaps. Sort by it, and use it to detect missing events. Events of types to which the endpoint is not subscribed have numbers too. If a candidate is created again within 100 days of its erasure, the count continues. At least 1.
   */
  sequence: number;
  /**
   * Present, and true, only in the sample sent by a test of the endpoint.
   */
  sample?: true | undefined;
  /**
   * The content of the event.
   */
  data: RejectedCandidate;
}

/**
 * A candidate after its rejection in intake.
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
   * The candidate's status in its lifecycle. Known values: `received`, `validation_failed`, `verified`, `promoted`, `consent_revoked`. A later version of v1 may add others.
   */
  status:
    | "received"
    | "validation_failed"
    | "verified"
    | "promoted"
    | "consent_revoked"
    | (string & Record<never, never>);
  /**
   * `verified` after the identity is verified, `in_review` before. Known values: `in_review`, `verified`. A later version of v1 may add others.
   */
  verificationStatus: "in_review" | "verified" | (string & Record<never, never>);
  /**
   * `available` after promotion, unless consent is withdrawn; otherwise `pending`. Known values: `pending`, `available`. A later version of v1 may add others.
   */
  availabilityStatus: "pending" | "available" | (string & Record<never, never>);
  /**
   * The reasons for the rejection. Empty in an attempt that is made after ten later rejections of the candidate.
   */
  reasons: EventReason[];
}

/**
 * Why intake rejected a candidate. The platform must not put personal data into either member, but nothing checks this: handle both like personal data.
 */
export interface EventReason {
  /**
   * A code for programs.
   */
  code: string;
  /**
   * A sentence for people. 1 to 500 characters.
   */
  message: string;
}

/**
 * Consent was withdrawn and access is frozen: reads return 404 `consent_revoked`.
 */
export interface CandidateConsentRevokedEvent {
  /**
   * The event's id, the same as `X-RR-Event-Id`. Deduplicate by it.
   */
  id: string;
  /**
   * The type of the event.
   */
  type: "candidate.consent_revoked";
  /**
   * The version of the contract to which the event conforms.
   */
  apiVersion: string;
  /**
   * When it happened.
   */
  occurredAt: string;
  /**
   * Numbers the candidate's events of all types from 1 without gaps. Sort by it, and use it to detect missing events. Events of types to which the endpoint is not subscribed have numbers too. If a candidate is created again within 100 days of its erasure, the count continues. At least 1.
   */
  sequence: number;
  /**
   * Present, and true, only in the sample sent by a test of the endpoint.
   */
  sample?: true | undefined;
  /**
   * The content of the event.
   */
  data: CandidateSnapshot;
}

/**
 * The candidate's data was erased. The event contains only the handles.
 */
export interface CandidateErasedEvent {
  /**
   * The event's id, the same as `X-RR-Event-Id`. Deduplicate by it.
   */
  id: string;
  /**
   * The type of the event.
   */
  type: "candidate.erased";
  /**
   * The version of the contract to which the event conforms.
   */
  apiVersion: string;
  /**
   * When it happened.
   */
  occurredAt: string;
  /**
   * Numbers the candidate's events of all types from 1 without gaps. Sort by it, and use it to detect missing events. Events of types to which the endpoint is not subscribed have numbers too. If a candidate is created again within 100 days of its erasure, the count continues. At least 1.
   */
  sequence: number;
  /**
   * Present, and true, only in the sample sent by a test of the endpoint.
   */
  sample?: true | undefined;
  /**
   * The content of the event.
   */
  data: ErasedCandidate;
}

/**
 * The remaining data of an erased candidate.
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
 * Consent was given again and access is restored. `data` contains the statuses from before the withdrawal, which apply again.
 */
export interface CandidateConsentRestoredEvent {
  /**
   * The event's id, the same as `X-RR-Event-Id`. Deduplicate by it.
   */
  id: string;
  /**
   * The type of the event.
   */
  type: "candidate.consent_restored";
  /**
   * The version of the contract to which the event conforms.
   */
  apiVersion: string;
  /**
   * When it happened.
   */
  occurredAt: string;
  /**
   * Numbers the candidate's events of all types from 1 without gaps. Sort by it, and use it to detect missing events. Events of types to which the endpoint is not subscribed have numbers too. If a candidate is created again within 100 days of its erasure, the count continues. At least 1.
   */
  sequence: number;
  /**
   * Present, and true, only in the sample sent by a test of the endpoint.
   */
  sample?: true | undefined;
  /**
   * The content of the event.
   */
  data: CandidateSnapshot;
}

/**
 * Another endpoint of your organisation has been failing for a day, and an attempt has failed again. Fires once per series of failures, and is never sent to the endpoint that it is about.
 */
export interface WebhookEndpointFailingEvent {
  /**
   * The event's id, the same as `X-RR-Event-Id`. Deduplicate by it.
   */
  id: string;
  /**
   * The type of the event.
   */
  type: "webhook_endpoint.failing";
  /**
   * The version of the contract to which the event conforms.
   */
  apiVersion: string;
  /**
   * When it happened.
   */
  occurredAt: string;
  /**
   * Present, and true, only in the sample sent by a test of the endpoint.
   */
  sample?: true | undefined;
  /**
   * The content of the event.
   */
  data: FailingWebhookEndpoint;
}

/**
 * An endpoint that keeps failing.
 */
export interface FailingWebhookEndpoint {
  /**
   * The endpoint that the event is about.
   */
  webhookEndpointId: string;
  /**
   * When the current series of failed attempts began. Absent while attempts succeed, and after a 410 without a failure before it.
   */
  failingSince: string;
}

/**
 * The service has set another endpoint of your organisation inactive. Never sent to the endpoint that it is about.
 */
export interface WebhookEndpointDisabledEvent {
  /**
   * The event's id, the same as `X-RR-Event-Id`. Deduplicate by it.
   */
  id: string;
  /**
   * The type of the event.
   */
  type: "webhook_endpoint.disabled";
  /**
   * The version of the contract to which the event conforms.
   */
  apiVersion: string;
  /**
   * When it happened.
   */
  occurredAt: string;
  /**
   * Present, and true, only in the sample sent by a test of the endpoint.
   */
  sample?: true | undefined;
  /**
   * The content of the event.
   */
  data: DisabledWebhookEndpoint;
}

/**
 * An endpoint that the service set inactive.
 */
export interface DisabledWebhookEndpoint {
  /**
   * The endpoint that the event is about.
   */
  webhookEndpointId: string;
  /**
   * When the current series of failed attempts began. Absent while attempts succeed, and after a 410 without a failure before it.
   */
  failingSince?: string | undefined;
  /**
   * When the service set the endpoint inactive.
   */
  disabledAt: string;
  /**
   * Why the service set the endpoint inactive. `failing`: for five days no attempt succeeded. `gone`: it returned `410 Gone`. Known values: `failing`, `gone`. A later version of v1 may add others.
   */
  disabledReason: "failing" | "gone" | (string & Record<never, never>);
}

/**
 * The receipt of a candidate.
 */
export interface CreateResponse {
  /**
   * The intake handle. It stays valid after promotion.
   */
  stagedId: string;
  /**
   * The `externalId` in the request.
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
 * A candidate in the safe projection, which may be shown to recruiters and partners. It never contains e-mail, phone, date of birth, gender, address, referees, consents, source or sensitive documents. A later version of v1 may add members.
 */
export interface CandidateRecord {
  /**
   * The canonical id (`cand_…`) after promotion, the `stagedId` before. Both work as `{id}`.
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
   * The name by which the candidate prefers to be called.
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
   * Nationality; absent if not given. ISO 3166-1 alpha-2: any two upper-case letters are accepted.
   */
  nationality?: string | undefined;
  /**
   * Country of residence. ISO 3166-1 alpha-2: any two upper-case letters are accepted.
   */
  countryOfResidence: string;
  /**
   * The candidate's skills.
   */
  skills: RecordSkill[];
  /**
   * The candidate's positions.
   */
  workHistory: RecordWorkHistoryItem[];
  /**
   * The candidate's education.
   */
  education: RecordEducationItem[];
  /**
   * The candidate's languages.
   */
  languages: RecordLanguageItem[];
  /**
   * The right to work, by country.
   */
  workEligibility: RecordWorkEligibilityItem[];
  /**
   * The candidate's job preferences.
   */
  jobPreferences: RecordJobPreferences;
  /**
   * Labels of your choice.
   */
  tags: string[];
  /**
   * Documents with their versions, except sensitive types. If the list is empty, there may still be sensitive documents.
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
   * Summaries of assessment results: your entries, then those that the platform added or overrode. If entries have the same `provider` and `externalId`, only the platform's is returned.
   */
  assessments: RecordAssessment[];
  /**
   * The candidate's status in its lifecycle. Known values: `received`, `validation_failed`, `verified`, `promoted`, `consent_revoked`. A later version of v1 may add others.
   */
  status:
    | "received"
    | "validation_failed"
    | "verified"
    | "promoted"
    | "consent_revoked"
    | (string & Record<never, never>);
  /**
   * `available` after promotion, unless consent is withdrawn; otherwise `pending`. Known values: `pending`, `available`. A later version of v1 may add others.
   */
  availabilityStatus: "pending" | "available" | (string & Record<never, never>);
  /**
   * `verified` after the identity is verified, `in_review` before. Known values: `in_review`, `verified`. A later version of v1 may add others.
   */
  verificationStatus: "in_review" | "verified" | (string & Record<never, never>);
  /**
   * From 0 to 100, set by the platform; null until then, and after the platform has cleared it. From 0 to 100.
   */
  workReadinessScore: number | null;
  /**
   * When the record last changed. Increases with every change.
   */
  updatedAt: string;
}

/**
 * A skill, as returned.
 */
export interface RecordSkill {
  /**
   * Name of the skill. 1 to 120 characters.
   */
  name: string;
  /**
   * Years of experience. Fractions are allowed. From 0 to 60.
   */
  yearsExperience: number;
  /**
   * The candidate's proficiency in it. Known values: `beginner`, `intermediate`, `advanced`, `expert`. A later version of v1 may add others.
   */
  proficiency?: ("beginner" | "intermediate" | "advanced" | "expert") | undefined;
  /**
   * The year in which it was last used. From 1950 to 2100.
   */
  lastUsedYear?: number | undefined;
}

/**
 * A position, as returned.
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
   * Type of employment. Known values: `full_time`, `part_time`, `contract`, `temporary`, `internship`, `apprenticeship`, `casual`, `volunteer`. A later version of v1 may add others.
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
   * Last day, `YYYY-MM-DD`; null for the current position.
   */
  endDate: string | null;
  /**
   * Whether this is the current position. It is neither derived from `endDate` nor compared with it.
   */
  isCurrent: boolean;
  /**
   * Place of work.
   */
  location: string | null;
  /**
   * Description of the work.
   */
  description: string | null;
}

/**
 * A course of study, as returned.
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
   * Final grade, on the institution's own scale. At most 60 characters.
   */
  grade?: string | null | undefined;
}

/**
 * A language, as returned.
 */
export interface RecordLanguageItem {
  /**
   * Name of the language. 2 to 60 characters.
   */
  language: string;
  /**
   * The candidate's proficiency in it. Known values: `basic`, `conversational`, `professional`, `fluent`, `native`. A later version of v1 may add others.
   */
  proficiency: "basic" | "conversational" | "professional" | "fluent" | "native";
}

/**
 * The right to work in one target market, as returned.
 */
export interface RecordWorkEligibilityItem {
  /**
   * The target market. ISO 3166-1 alpha-2: any two upper-case letters are accepted.
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
   * Type of visa, if any. At most 120 characters.
   */
  visaType?: string | null | undefined;
  /**
   * The last day of the right, `YYYY-MM-DD`.
   */
  expiresAt?: string | null | undefined;
}

/**
 * A candidate's job preferences, as returned.
 */
export interface RecordJobPreferences {
  /**
   * Job titles that the candidate is looking for.
   */
  desiredTitles: string[];
  /**
   * Types of employment that the candidate would accept.
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
   * Countries the candidate would work in. ISO 3166-1 alpha-2: any two upper-case letters are accepted.
   */
  preferredCountries: string[];
  /**
   * Whether the candidate would relocate; null if not asked.
   */
  openToRelocation?: boolean | null | undefined;
  /**
   * Whether the candidate would work remotely; null if not asked.
   */
  openToRemote?: boolean | null | undefined;
  /**
   * The salary that the candidate expects.
   */
  salaryExpectation?: RecordSalaryExpectation | undefined;
}

/**
 * The salary that a candidate expects, as returned.
 */
export interface RecordSalaryExpectation {
  /**
   * ISO 4217: any three upper-case letters are accepted.
   */
  currency: string;
  /**
   * The lowest expected salary, in the currency's main unit. At least 0.
   */
  min?: number | null | undefined;
  /**
   * The highest expected salary, in the currency's main unit. At least 0.
   */
  max?: number | null | undefined;
  /**
   * The period of the amounts. Known values: `hourly`, `daily`, `weekly`, `monthly`, `annual`. A later version of v1 may add others.
   */
  period: "hourly" | "daily" | "weekly" | "monthly" | "annual";
}

/**
 * A document with its versions, as returned.
 */
export interface RecordDocument {
  /**
   * Type of the document. Known values: `cv`, `cover_letter`, `resume_supplement`, `certification`, `qualification`, `academic_transcript`, `reference_letter`, `portfolio`, `video_introduction`, `work_sample`, `other`. A later version of v1 may add others.
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
   * A display name.
   */
  label: string | null;
  /**
   * The current version: one of `versions[].version`. At least 1.
   */
  currentVersion: number;
  /**
   * Every version, in any order. Version numbers are unique within the document.
   */
  versions: RecordDocumentVersion[];
}

/**
 * One version of a document, as returned.
 */
export interface RecordDocumentVersion {
  /**
   * Number of the version, unique within the document. At least 1.
   */
  version: number;
  /**
   * Location of the file. A URI (RFC 3986) with any scheme except `javascript:` and `vbscript:`. Stored and returned byte for byte. At most 2048 characters.
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
   * Checksum of the file, in a format of your choice.
   */
  checksum: string | null;
  /**
   * Your own id of the uploader.
   */
  uploadedByExternalId: string | null;
}

/**
 * A link, as returned.
 */
export interface RecordLink {
  /**
   * Type of the link target. Known values: `linkedin`, `github`, `portfolio`, `twitter`, `website`, `other`. A later version of v1 may add others.
   */
  type: "linkedin" | "github" | "portfolio" | "twitter" | "website" | "other";
  /**
   * The address. A URI (RFC 3986) with any scheme except `javascript:` and `vbscript:`. Stored and returned byte for byte. At most 2048 characters.
   */
  url: string;
  /**
   * A display name. At most 120 characters.
   */
  label?: string | null | undefined;
}

/**
 * A photo, video or audio, as returned.
 */
export interface RecordMediaItem {
  /**
   * Type of the item's content. Known values: `profile_photo`, `intro_video`, `portfolio_image`, `portfolio_video`, `audio`, `other`. A later version of v1 may add others.
   */
  kind: "profile_photo" | "intro_video" | "portfolio_image" | "portfolio_video" | "audio" | "other";
  /**
   * Opaque storage key. Exchange it with `provider` for a short-lived signed URL. It cannot be fetched directly. At most 512 characters.
   */
  assetKey?: string | null | undefined;
  /**
   * The provider that signs `assetKey`. Only meaningful together with it. Known values: `partner`, `platform`. A later version of v1 may add others.
   */
  provider: "partner" | "platform";
  /**
   * A link that can be used directly. A URI (RFC 3986) with any scheme except `javascript:` and `vbscript:`. Stored and returned byte for byte. At most 2048 characters.
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
   * Duration of a video or audio, in seconds. At least 0.
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
   * Caption of the item. At most 500 characters.
   */
  caption?: string | null | undefined;
  /**
   * When it was uploaded: RFC 3339 with `Z` or an offset.
   */
  uploadedAt?: string | null | undefined;
}

/**
 * The summary of an assessment, as returned.
 */
export interface RecordAssessment {
  /**
   * The assessment provider's own id of the result. At most 128 characters.
   */
  externalId?: string | null | undefined;
  /**
   * The assessment provider. `proctor` is the platform's own proctoring engine. Known values: `proctor`, `partner`, `other`. A later version of v1 may add others.
   */
  provider: "proctor" | "partner" | "other";
  /**
   * Name of the assessment. 1 to 200 characters.
   */
  name: string;
  /**
   * Status of the assessment. Known values: `scheduled`, `in_progress`, `completed`, `expired`, `cancelled`. A later version of v1 may add others.
   */
  status: "scheduled" | "in_progress" | "completed" | "expired" | "cancelled";
  /**
   * Present if completed, otherwise omitted. Known values: `pass`, `fail`, `inconclusive`. A later version of v1 may add others.
   */
  outcome?: ("pass" | "fail" | "inconclusive") | undefined;
  /**
   * The score. From 0 to 100.
   */
  score?: number | null | undefined;
  /**
   * The highest possible score. At least 0.
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
   * Address of the full report. Not together with `reportKey`. A URI (RFC 3986) with any scheme except `javascript:` and `vbscript:`. Stored and returned byte for byte. At most 2048 characters.
   */
  reportUrl?: string | null | undefined;
  /**
   * When it was completed: RFC 3339 with `Z` or an offset.
   */
  completedAt?: string | null | undefined;
  /**
   * When the result expires: RFC 3339 with `Z` or an offset.
   */
  expiresAt?: string | null | undefined;
}

/**
 * The score for one competency, as returned.
 */
export interface RecordCompetency {
  /**
   * The provider's code for the competency. 1 to 64 characters.
   */
  code: string;
  /**
   * Its display name. At most 200 characters.
   */
  label?: string | null | undefined;
  /**
   * The score for this competency. From 0 to 100.
   */
  score?: number | null | undefined;
}

/**
 * The results of a batch.
 */
export interface CandidateBatchResponse {
  /**
   * One result for each candidate, in the order sent.
   */
  results: BatchResult[];
}

/**
 * The result of one candidate of a batch.
 */
export type BatchResult = ReceivedRow | RefusedRow;

/**
 * The result of a candidate that is in intake.
 */
export interface ReceivedRow {
  /**
   * The `externalId` of the candidate.
   */
  externalId: string;
  /**
   * Always 201.
   */
  status: 201;
  /**
   * The intake handle. It stays valid after promotion.
   */
  stagedId: string;
  /**
   * When the candidate was first received.
   */
  receivedAt: string;
  /**
   * True if the candidate already existed, or is earlier in the same batch, and nothing changed.
   */
  replayed: boolean;
}

/**
 * The result of a candidate that was refused, or could not be received.
 */
export interface RefusedRow {
  /**
   * The `externalId` of the candidate; null if it has no valid one.
   */
  externalId: string | null;
  /**
   * The status code that a single create would get: 400 (`invalid_request`), 413 (`payload_too_large`), 500 (`internal_error`) or 503 (`service_unavailable`). After 500 and 503 send the candidate again: it may or may not have been received. From 400 to 599.
   */
  status: number;
  /**
   * The error code, for programs. Known values: `invalid_request`, `events_expired`, `unauthorized`, `not_found`, `consent_revoked`, `method_not_allowed`, `precondition_failed`, `payload_too_large`, `unsupported_media_type`, `rate_limited`, `internal_error`, `service_unavailable`, `timeout`. A later version of v1 may add others.
   */
  error:
    | "invalid_request"
    | "events_expired"
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
  /**
   * A sentence for people, as in the error envelope. It never contains a value that was sent.
   */
  message: string;
}

/**
 * The registered endpoint, with its secret.
 */
export interface CreatedWebhookEndpoint {
  /**
   * The endpoint's id.
   */
  id: string;
  /**
   * The address to which deliveries are sent.
   */
  url: string;
  /**
   * The event types that the endpoint receives.
   *
   * Items: Known values: `candidate.received`, `candidate.verified`, `candidate.promoted`, `candidate.validation_failed`, `candidate.consent_revoked`, `candidate.erased`, `candidate.consent_restored`, `webhook_endpoint.failing`, `webhook_endpoint.disabled`. A later version of v1 may add others.
   */
  eventTypes: (
    | "candidate.received"
    | "candidate.verified"
    | "candidate.promoted"
    | "candidate.validation_failed"
    | "candidate.consent_revoked"
    | "candidate.erased"
    | "candidate.consent_restored"
    | "webhook_endpoint.failing"
    | "webhook_endpoint.disabled"
  )[];
  /**
   * Whether deliveries are sent. It becomes false when the receiver returns `410 Gone`, or when for five days no attempt has succeeded and at least ten have failed, on at least three days.
   */
  active: boolean;
  /**
   * When it was registered.
   */
  createdAt: string;
  /**
   * Your own note; null if there is none.
   */
  description: string | null;
  /**
   * When the current series of failed attempts began; absent while attempts succeed.
   */
  failingSince?: string | undefined;
  /**
   * When the endpoint was set inactive, by the service or at your request; removed when you make it active again.
   */
  disabledAt?: string | undefined;
  /**
   * Why the endpoint was set inactive. `failing`: for five days no attempt succeeded. `gone`: it returned `410 Gone`. `by_request`: you set `active` to false. Known values: `failing`, `gone`, `by_request`. A later version of v1 may add others.
   */
  disabledReason?: "failing" | "gone" | "by_request" | (string & Record<never, never>) | undefined;
  /**
   * When an attempt last succeeded; absent if none has. Recorded about once an hour while all attempts succeed: it may be up to 75 minutes older than the last success.
   */
  lastSuccessAt?: string | undefined;
  /**
   * The secret that signs deliveries. **Store it: it is returned only once and cannot be read again.**
   */
  signingSecret: string;
}

/**
 * Every endpoint of the organisation.
 */
export interface WebhookEndpointList {
  /**
   * The endpoints, oldest first; at most 50.
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
   * The address to which deliveries are sent.
   */
  url: string;
  /**
   * The event types that the endpoint receives.
   *
   * Items: Known values: `candidate.received`, `candidate.verified`, `candidate.promoted`, `candidate.validation_failed`, `candidate.consent_revoked`, `candidate.erased`, `candidate.consent_restored`, `webhook_endpoint.failing`, `webhook_endpoint.disabled`. A later version of v1 may add others.
   */
  eventTypes: (
    | "candidate.received"
    | "candidate.verified"
    | "candidate.promoted"
    | "candidate.validation_failed"
    | "candidate.consent_revoked"
    | "candidate.erased"
    | "candidate.consent_restored"
    | "webhook_endpoint.failing"
    | "webhook_endpoint.disabled"
  )[];
  /**
   * Whether deliveries are sent. It becomes false when the receiver returns `410 Gone`, or when for five days no attempt has succeeded and at least ten have failed, on at least three days.
   */
  active: boolean;
  /**
   * When it was registered.
   */
  createdAt: string;
  /**
   * Your own note; null if there is none.
   */
  description: string | null;
  /**
   * When the current series of failed attempts began; absent while attempts succeed.
   */
  failingSince?: string | undefined;
  /**
   * When the endpoint was set inactive, by the service or at your request; removed when you make it active again.
   */
  disabledAt?: string | undefined;
  /**
   * Why the endpoint was set inactive. `failing`: for five days no attempt succeeded. `gone`: it returned `410 Gone`. `by_request`: you set `active` to false. Known values: `failing`, `gone`, `by_request`. A later version of v1 may add others.
   */
  disabledReason?: "failing" | "gone" | "by_request" | (string & Record<never, never>) | undefined;
  /**
   * When an attempt last succeeded; absent if none has. Recorded about once an hour while all attempts succeed: it may be up to 75 minutes older than the last success.
   */
  lastSuccessAt?: string | undefined;
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
 * The delivery of an event to an endpoint.
 */
export interface WebhookDelivery {
  /**
   * The event's id.
   */
  eventId: string;
  /**
   * The type of the event. Known values: `candidate.received`, `candidate.verified`, `candidate.promoted`, `candidate.validation_failed`, `candidate.consent_revoked`, `candidate.erased`, `candidate.consent_restored`, `webhook_endpoint.failing`, `webhook_endpoint.disabled`. A later version of v1 may add others.
   */
  eventType:
    | "candidate.received"
    | "candidate.verified"
    | "candidate.promoted"
    | "candidate.validation_failed"
    | "candidate.consent_revoked"
    | "candidate.erased"
    | "candidate.consent_restored"
    | "webhook_endpoint.failing"
    | "webhook_endpoint.disabled";
  /**
   * `pending`: not acknowledged yet. `delivered`: acknowledged with 2xx. `failed`: exhausted its attempts, had the failure after which the endpoint was set inactive, or the service failed repeatedly. `dropped`: ended because the endpoint returned 410 or was inactive, or because the candidate was erased: see `reason`. Known values: `pending`, `delivered`, `failed`, `dropped`. A later version of v1 may add others.
   */
  status: "pending" | "delivered" | "failed" | "dropped";
  /**
   * Every attempt so far, oldest first.
   */
  attempts: DeliveryAttempt[];
  /**
   * When the next attempt is due; absent if there is none.
   */
  nextAttemptAt?: string | undefined;
  /**
   * Why it was dropped; absent if the endpoint was the cause. `candidate_erased`: the candidate was erased after the event fired or, of `candidate.erased` itself, created again. Known values: `candidate_erased`. A later version of v1 may add others.
   */
  reason?: "candidate_erased" | (string & Record<never, never>) | undefined;
  /**
   * Present, and true, only for a sample.
   */
  sample?: true | undefined;
}

/**
 * One attempt of a delivery: with `statusCode`, or with `failure` if there was no response.
 */
export interface DeliveryAttempt {
  /**
   * Counts from 1, and again from 1 after a resend. At least 1.
   */
  attempt: number;
  /**
   * When the attempt was made.
   */
  at: string;
  /**
   * The time to the response's headers, or to the failure, in milliseconds. At least 0.
   */
  durationMs: number;
  /**
   * The status code of the receiver's response. From 100 to 999.
   */
  statusCode?: number | undefined;
  /**
   * Why there was no response, or none that can be read. `invalid_response`: it is not valid HTTP/1.x, has more than 16 KiB of headers or 64 KiB before its body, or is a 101. Known values: `address_refused`, `connection_failed`, `invalid_response`, `name_not_resolved`, `timeout`, `tls_failed`. A later version of v1 may add others.
   */
  failure?:
    | "address_refused"
    | "connection_failed"
    | "invalid_response"
    | "name_not_resolved"
    | "timeout"
    | "tls_failed"
    | (string & Record<never, never>)
    | undefined;
}

/**
 * A recovery of the events that an endpoint missed.
 */
export interface Recovery {
  /**
   * The recovery's id.
   */
  id: string;
  /**
   * `running`: events are being queued. `completed`: all are queued. `failed`: it ended before that; see `reason`. Known values: `running`, `completed`, `failed`. A later version of v1 may add others.
   */
  status: "running" | "completed" | "failed" | (string & Record<never, never>);
  /**
   * The events so far that the endpoint has not acknowledged. At least 0.
   */
  found: number;
  /**
   * Those of them that were queued. The others are attempted soon anyway, belong to an erased candidate, or have had 100 attempts. At least 0.
   */
  sent: number;
  /**
   * The start of the period.
   */
  since: string;
  /**
   * The end of the period.
   */
  until: string;
  /**
   * The types of the events.
   *
   * Items: Known values: `candidate.received`, `candidate.verified`, `candidate.promoted`, `candidate.validation_failed`, `candidate.consent_revoked`, `candidate.erased`, `candidate.consent_restored`, `webhook_endpoint.failing`, `webhook_endpoint.disabled`. A later version of v1 may add others.
   */
  eventTypes: (
    | "candidate.received"
    | "candidate.verified"
    | "candidate.promoted"
    | "candidate.validation_failed"
    | "candidate.consent_revoked"
    | "candidate.erased"
    | "candidate.consent_restored"
    | "webhook_endpoint.failing"
    | "webhook_endpoint.disabled"
  )[];
  /**
   * When the recovery was started.
   */
  startedAt: string;
  /**
   * When it ended; absent while it is running.
   */
  endedAt?: string | undefined;
  /**
   * Why it failed; absent otherwise.
   */
  reason?: string | undefined;
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
   * The address to which deliveries are sent.
   */
  url: string;
  /**
   * The event types that the endpoint receives.
   *
   * Items: Known values: `candidate.received`, `candidate.verified`, `candidate.promoted`, `candidate.validation_failed`, `candidate.consent_revoked`, `candidate.erased`, `candidate.consent_restored`, `webhook_endpoint.failing`, `webhook_endpoint.disabled`. A later version of v1 may add others.
   */
  eventTypes: (
    | "candidate.received"
    | "candidate.verified"
    | "candidate.promoted"
    | "candidate.validation_failed"
    | "candidate.consent_revoked"
    | "candidate.erased"
    | "candidate.consent_restored"
    | "webhook_endpoint.failing"
    | "webhook_endpoint.disabled"
  )[];
  /**
   * Whether deliveries are sent. It becomes false when the receiver returns `410 Gone`, or when for five days no attempt has succeeded and at least ten have failed, on at least three days.
   */
  active: boolean;
  /**
   * When it was registered.
   */
  createdAt: string;
  /**
   * Your own note; null if there is none.
   */
  description: string | null;
  /**
   * When the current series of failed attempts began; absent while attempts succeed.
   */
  failingSince?: string | undefined;
  /**
   * When the endpoint was set inactive, by the service or at your request; removed when you make it active again.
   */
  disabledAt?: string | undefined;
  /**
   * Why the endpoint was set inactive. `failing`: for five days no attempt succeeded. `gone`: it returned `410 Gone`. `by_request`: you set `active` to false. Known values: `failing`, `gone`, `by_request`. A later version of v1 may add others.
   */
  disabledReason?: "failing" | "gone" | "by_request" | (string & Record<never, never>) | undefined;
  /**
   * When an attempt last succeeded; absent if none has. Recorded about once an hour while all attempts succeed: it may be up to 75 minutes older than the last success.
   */
  lastSuccessAt?: string | undefined;
  /**
   * The secret that signs deliveries. **Store it: it is returned only once and cannot be read again.**
   */
  signingSecret: string;
  /**
   * Until then deliveries are also signed with the previous secret, in `X-RR-Signature-Previous`.
   */
  previousSecretExpiresAt: string;
}

/**
 * A page of the event feed.
 */
export interface EventPage {
  /**
   * Events in the order of their publication; may be empty even if `hasMore` is true.
   */
  data: FeedEvent[];
  /**
   * The `cursor` of the next page. Always present: poll with it.
   */
  nextCursor: string;
  /**
   * Whether there is more to read now.
   */
  hasMore: boolean;
}

/**
 * An event of the event feed: the body of its webhook deliveries, except that `externalId` and `reasons` are null once the candidate is erased.
 */
export type FeedEvent =
  | CandidateValidationFailedFeedEvent
  | CandidateErasedFeedEvent
  | WebhookEndpointFailingEvent
  | WebhookEndpointDisabledEvent
  | CandidateFeedEvent;

/**
 * An event about a candidate, in the event feed.
 */
export interface CandidateFeedEvent {
  /**
   * The event's id, the same as `X-RR-Event-Id`. Deduplicate by it.
   */
  id: string;
  /**
   * The type of the event. Known values: `candidate.received`, `candidate.verified`, `candidate.promoted`, `candidate.consent_revoked`, `candidate.consent_restored`. A later version of v1 may add others.
   */
  type:
    | "candidate.received"
    | "candidate.verified"
    | "candidate.promoted"
    | "candidate.consent_revoked"
    | "candidate.consent_restored";
  /**
   * The version of the contract to which the event conforms.
   */
  apiVersion: string;
  /**
   * When it happened.
   */
  occurredAt: string;
  /**
   * Numbers the candidate's events of all types from 1 without gaps. Sort by it, and use it to detect missing events. Events of types to which the endpoint is not subscribed have numbers too. If a candidate is created again within 100 days of its erasure, the count continues. At least 1.
   */
  sequence: number;
  /**
   * Present, and true, only in the sample sent by a test of the endpoint.
   */
  sample?: true | undefined;
  /**
   * The content of the event.
   */
  data: CandidateFeedSnapshot;
}

/**
 * A candidate after the event.
 */
export interface CandidateFeedSnapshot {
  /**
   * The intake handle.
   */
  stagedId: string;
  /**
   * The canonical id; null before promotion.
   */
  id: string | null;
  /**
   * Your own id of the candidate; null once the candidate is erased.
   */
  externalId: string | null;
  /**
   * The candidate's status in its lifecycle. Known values: `received`, `validation_failed`, `verified`, `promoted`, `consent_revoked`. A later version of v1 may add others.
   */
  status:
    | "received"
    | "validation_failed"
    | "verified"
    | "promoted"
    | "consent_revoked"
    | (string & Record<never, never>);
  /**
   * `verified` after the identity is verified, `in_review` before. Known values: `in_review`, `verified`. A later version of v1 may add others.
   */
  verificationStatus: "in_review" | "verified" | (string & Record<never, never>);
  /**
   * `available` after promotion, unless consent is withdrawn; otherwise `pending`. Known values: `pending`, `available`. A later version of v1 may add others.
   */
  availabilityStatus: "pending" | "available" | (string & Record<never, never>);
}

/**
 * A rejection in intake, in the event feed.
 */
export interface CandidateValidationFailedFeedEvent {
  /**
   * The event's id, the same as `X-RR-Event-Id`. Deduplicate by it.
   */
  id: string;
  /**
   * The type of the event.
   */
  type: "candidate.validation_failed";
  /**
   * The version of the contract to which the event conforms.
   */
  apiVersion: string;
  /**
   * When it happened.
   */
  occurredAt: string;
  /**
   * Numbers the candidate's events of all types from 1 without gaps. Sort by it, and use it to detect missing events. Events of types to which the endpoint is not subscribed have numbers too. If a candidate is created again within 100 days of its erasure, the count continues. At least 1.
   */
  sequence: number;
  /**
   * Present, and true, only in the sample sent by a test of the endpoint.
   */
  sample?: true | undefined;
  /**
   * The content of the event.
   */
  data: RejectedCandidateInFeed;
}

/**
 * A candidate after its rejection in intake.
 */
export interface RejectedCandidateInFeed {
  /**
   * The intake handle.
   */
  stagedId: string;
  /**
   * The canonical id; null before promotion.
   */
  id: string | null;
  /**
   * Your own id of the candidate; null once the candidate is erased.
   */
  externalId: string | null;
  /**
   * The candidate's status in its lifecycle. Known values: `received`, `validation_failed`, `verified`, `promoted`, `consent_revoked`. A later version of v1 may add others.
   */
  status:
    | "received"
    | "validation_failed"
    | "verified"
    | "promoted"
    | "consent_revoked"
    | (string & Record<never, never>);
  /**
   * `verified` after the identity is verified, `in_review` before. Known values: `in_review`, `verified`. A later version of v1 may add others.
   */
  verificationStatus: "in_review" | "verified" | (string & Record<never, never>);
  /**
   * `available` after promotion, unless consent is withdrawn; otherwise `pending`. Known values: `pending`, `available`. A later version of v1 may add others.
   */
  availabilityStatus: "pending" | "available" | (string & Record<never, never>);
  /**
   * The reasons for the rejection; null once the candidate is erased. Empty after ten later rejections of the candidate.
   */
  reasons: EventReason[] | null;
}

/**
 * An erasure, in the event feed.
 */
export interface CandidateErasedFeedEvent {
  /**
   * The event's id, the same as `X-RR-Event-Id`. Deduplicate by it.
   */
  id: string;
  /**
   * The type of the event.
   */
  type: "candidate.erased";
  /**
   * The version of the contract to which the event conforms.
   */
  apiVersion: string;
  /**
   * When it happened.
   */
  occurredAt: string;
  /**
   * Numbers the candidate's events of all types from 1 without gaps. Sort by it, and use it to detect missing events. Events of types to which the endpoint is not subscribed have numbers too. If a candidate is created again within 100 days of its erasure, the count continues. At least 1.
   */
  sequence: number;
  /**
   * Present, and true, only in the sample sent by a test of the endpoint.
   */
  sample?: true | undefined;
  /**
   * The content of the event.
   */
  data: ErasedCandidateInFeed;
}

/**
 * The remaining data of an erased candidate.
 */
export interface ErasedCandidateInFeed {
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
 * The body of a delivery of any event type: what a receiver at one URL reads.
 */
export type WebhookEvent =
  | CandidateReceivedEvent
  | CandidateVerifiedEvent
  | CandidatePromotedEvent
  | CandidateValidationFailedEvent
  | CandidateConsentRevokedEvent
  | CandidateErasedEvent
  | CandidateConsentRestoredEvent
  | WebhookEndpointFailingEvent
  | WebhookEndpointDisabledEvent;

/**
 * A type of employment.
 */
export type EmploymentType =
  | "full_time"
  | "part_time"
  | "contract"
  | "temporary"
  | "internship"
  | "apprenticeship"
  | "casual"
  | "volunteer";

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
  | "candidate.consent_restored"
  | "webhook_endpoint.failing"
  | "webhook_endpoint.disabled";

/**
 * The error code, for programs. Known values: `invalid_request`, `events_expired`, `unauthorized`, `not_found`, `consent_revoked`, `method_not_allowed`, `precondition_failed`, `payload_too_large`, `unsupported_media_type`, `rate_limited`, `internal_error`, `service_unavailable`, `timeout`. A later version of v1 may add others.
 */
export type ErrorCode =
  | "invalid_request"
  | "events_expired"
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
