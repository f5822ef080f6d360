import * as z from "zod/mini";
import type { oas31 } from "zod-openapi";
import { Assessment, Competency } from "#contract/assessment";
import { CandidateBatch, CandidateBatchResponse, ReceivedRow, RefusedRow } from "#contract/candidate-batch";
import {
  Address,
  Consent,
  EducationItem,
  JobPreferences,
  LanguageItem,
  Link,
  MediaItem,
  Referee,
  SalaryExpectation,
  Skill,
  Source,
  WorkEligibilityItem,
  WorkHistoryItem,
} from "#contract/candidate-objects";
import { CandidateRecord } from "#contract/candidate-record";
import {
  CandidateAmendment,
  CandidateSubmission,
  CreateResponse,
  ErasureRequest,
  ITEMS_PER_BODY,
} from "#contract/candidate-submission";
import { Document, DocumentVersion } from "#contract/document";
import { ERROR_STATUS, type ErrorCode } from "#contract/errors";
import { EventPage } from "#contract/event-feed";
import { EXTENSION_EVENT_TYPES } from "#contract/events";
import { SandboxTransitionRequest } from "#contract/platform-transition";
import { Reason } from "#contract/reason";
import { Recovery, RecoveryRequest } from "#contract/recovery";
import { DeliveryAttempt, WebhookDelivery, WebhookDeliveryPage } from "#contract/webhook-delivery";
import {
  CreatedWebhookEndpoint,
  ENDPOINTS_PER_ORGANISATION,
  RotatedWebhookEndpoint,
  WebhookEndpoint,
  WebhookEndpointList,
  WebhookEndpointRegistration,
  WebhookEndpointUpdate,
} from "#contract/webhook-endpoint";
import { type Described, described, moment, type Text, type TextsOf } from "./described.ts";
import { eventComponents, health, standing } from "./events.ts";

const COUNTRY = "ISO 3166-1 alpha-2: any two upper-case letters are accepted.";
const ANY_SCHEME =
  "A URI (RFC 3986) with any scheme except `javascript:` and `vbscript:`. Stored and returned byte for byte.";

const handle = {
  stagedId: {
    description: "The intake handle. It stays valid after promotion.",
    pattern: "^staged_",
    examples: ["staged_4g9v8z0d3m6n1p5q7r2s4t6w8x"],
  },
};

const address: TextsOf<typeof Address> = {
  line1: "Street and number.",
  line2: "Second address line.",
  city: "City or town.",
  region: "State or province.",
  postalCode: "Postal code.",
  country: `Country. ${COUNTRY}`,
};

const salaryExpectation: TextsOf<typeof SalaryExpectation> = {
  currency: "ISO 4217: any three upper-case letters are accepted.",
  min: "The lowest expected salary, in the currency's main unit.",
  max: "The highest expected salary, in the currency's main unit.",
  period: "The period of the amounts.",
};

const jobPreferences: TextsOf<typeof JobPreferences> = {
  desiredTitles: "Job titles that the candidate is looking for.",
  employmentTypes: "Types of employment that the candidate would accept.",
  preferredCountries: `Countries the candidate would work in. ${COUNTRY}`,
  openToRelocation: "Whether the candidate would relocate; null if not asked.",
  openToRemote: "Whether the candidate would work remotely; null if not asked.",
  salaryExpectation: "The salary that the candidate expects.",
};

const skill: TextsOf<typeof Skill> = {
  name: "Name of the skill.",
  yearsExperience: "Years of experience. Fractions are allowed.",
  proficiency: "The candidate's proficiency in it.",
  lastUsedYear: "The year in which it was last used.",
};

const workHistoryItem: TextsOf<typeof WorkHistoryItem> = {
  employer: "Name of the employer.",
  jobTitle: "Title of the position.",
  employmentType: "Type of employment.",
  startDate: "First day, `YYYY-MM-DD`.",
  endDate: "Last day, `YYYY-MM-DD`; null for the current position.",
  isCurrent:
    "Whether this is the current position. It is neither derived from `endDate` nor compared with it.",
  location: "Place of work.",
  description: "Description of the work.",
};

const educationItem: TextsOf<typeof EducationItem> = {
  institution: "School, university or other institution.",
  qualification: "The degree or certificate.",
  fieldOfStudy: "The subject.",
  completionStatus: "Whether it was completed.",
  startDate: "First day, `YYYY-MM-DD`.",
  endDate: "Last day, `YYYY-MM-DD`.",
  grade: "Final grade, on the institution's own scale.",
};

const languageItem: TextsOf<typeof LanguageItem> = {
  language: "Name of the language.",
  proficiency: "The candidate's proficiency in it.",
};

const workEligibilityItem: TextsOf<typeof WorkEligibilityItem> = {
  country: `The target market. ${COUNTRY}`,
  status: "The candidate's right to work there.",
  visaType: "Type of visa, if any.",
  expiresAt: "The last day of the right, `YYYY-MM-DD`.",
};

const documentVersion: TextsOf<typeof DocumentVersion> = {
  version: "Number of the version, unique within the document.",
  url: `Location of the file. ${ANY_SCHEME}`,
  fileName: "Name of the file.",
  contentType: "MIME type of the file.",
  sizeBytes: "Size of the file in bytes.",
  uploadedAt: "When this version was uploaded: RFC 3339 with `Z` or an offset.",
  checksum: "Checksum of the file, in a format of your choice.",
  uploadedByExternalId: "Your own id of the uploader.",
};

const document: TextsOf<typeof Document> = {
  documentType: "Type of the document.",
  label: "A display name.",
  currentVersion: "The current version: one of `versions[].version`.",
  versions: "Every version, in any order. Version numbers are unique within the document.",
};

const link: TextsOf<typeof Link> = {
  type: "Type of the link target.",
  url: `The address. ${ANY_SCHEME}`,
  label: "A display name.",
};

const mediaItem: TextsOf<typeof MediaItem> = {
  kind: "Type of the item's content.",
  assetKey:
    "Opaque storage key. Exchange it with `provider` for a short-lived signed URL. It cannot be fetched directly.",
  provider: "The provider that signs `assetKey`. Only meaningful together with it.",
  url: `A link that can be used directly. ${ANY_SCHEME}`,
  contentType: "MIME type.",
  fileName: "Name of the file.",
  sizeBytes: "Size in bytes.",
  durationSeconds: "Duration of a video or audio, in seconds.",
  width: "Width in pixels.",
  height: "Height in pixels.",
  caption: "Caption of the item.",
  uploadedAt: "When it was uploaded: RFC 3339 with `Z` or an offset.",
};

const competency: TextsOf<typeof Competency> = {
  code: "The provider's code for the competency.",
  label: "Its display name.",
  score: "The score for this competency.",
};

const assessment: TextsOf<typeof Assessment> = {
  externalId: "The assessment provider's own id of the result.",
  provider: "The assessment provider. `proctor` is the platform's own proctoring engine.",
  name: "Name of the assessment.",
  status: "Status of the assessment.",
  outcome: "Present if completed, otherwise omitted.",
  score: "The score.",
  maxScore: "The highest possible score.",
  scoreBand: "The band that the score falls into.",
  competencies: "Scores by competency.",
  reportKey: "Opaque key of the full report. Not together with `reportUrl`.",
  reportUrl: `Address of the full report. Not together with \`reportKey\`. ${ANY_SCHEME}`,
  completedAt: "When it was completed: RFC 3339 with `Z` or an offset.",
  expiresAt: "When the result expires: RFC 3339 with `Z` or an offset.",
};

const amendable: TextsOf<typeof CandidateAmendment> = {
  firstName: "Given name.",
  middleName: "Middle name.",
  preferredName: "The name by which the candidate prefers to be called.",
  lastName: "Family name.",
  headline: "One line about the candidate.",
  summary: "The candidate's biography.",
  phone: "Telephone number, in any format. Never returned.",
  consentGiven:
    "`false` withdraws consent: the other members of this body are applied, `candidate.consent_revoked` fires, " +
    "and from then on reads and amends return 404 `consent_revoked`. An amend with `true` restores access, and " +
    "`candidate.consent_restored` (an extension) fires.",
  address: "Postal address. Never returned.",
  jobPreferences: "The candidate's job preferences.",
  skills: "The candidate's skills.",
  workHistory: "The candidate's positions.",
  education: "The candidate's education.",
  languages: "The candidate's languages.",
  workEligibility: "The right to work, by country.",
  documents:
    "Replaces the documents that reads return. Of the sensitive types (`identity_document`, `right_to_work`, " +
    "`police_clearance`, `medical_certificate`) it replaces only those in the list; sensitive documents of other types " +
    "are kept. **An empty list removes all documents, including sensitive ones.** A record with `[]` may still have " +
    `sensitive documents: omit the member to keep them. A body may list up to ${ITEMS_PER_BODY}; a candidate may have more.`,
  links: "Links to profiles and pages.",
  media: "Photos, videos and audio.",
  assessments:
    "Summaries of assessment results. Replaces your entries. The platform's entries are stored separately, and no amend " +
    "changes them: an entry with the same `provider` and `externalId` as a platform entry is ignored. " +
    `A body may list up to ${ITEMS_PER_BODY}; a record may return more.`,
  consents:
    "Consents by purpose, for audits. The entries are stored but not interpreted: only `consentGiven` controls " +
    "access. Never returned.",
};

const submitted: TextsOf<typeof CandidateSubmission> = {
  ...amendable,
  externalId: "Your own stable id for the candidate. Creating is idempotent on it within your organisation.",
  email: "E-mail address, with its case preserved. Never returned.",
  dateOfBirth: "Date of birth, `YYYY-MM-DD`. Never returned.",
  gender: "Gender. Never returned.",
  nationality: `Nationality. ${COUNTRY}`,
  countryOfResidence: `Country of residence. ${COUNTRY}`,
  consentGiven: "The candidate's consent. Only `true` is accepted.",
  source: "The source of the candidate. Never returned.",
  referees: "The candidate's referees. Never returned.",
  tags: "Labels of your choice.",
  documents:
    "Documents with their versions. Types `identity_document`, `right_to_work`, `police_clearance` and " +
    "`medical_certificate` are sensitive: they are stored, but never returned.",
  assessments: "Summaries of assessment results.",
};

const recorded: Record<keyof typeof CandidateRecord.shape, Text> = {
  ...submitted,
  ...standing,
  id: {
    description: "The canonical id (`cand_…`) after promotion, the `stagedId` before. Both work as `{id}`.",
    pattern: "^(?:cand|staged)_",
    examples: ["cand_4g9v8z0d3m6n1p5q7r2s4t6w8x"],
  },
  nationality: `Nationality; absent if not given. ${COUNTRY}`,
  documents:
    "Documents with their versions, except sensitive types. If the list is empty, there may still be sensitive " +
    "documents.",
  assessments:
    "Summaries of assessment results: your entries, then those that the platform added or overrode. If entries have " +
    "the same `provider` and `externalId`, only the platform's is returned.",
  workReadinessScore: {
    description: "From 0 to 100, set by the platform; null until then.",
    minimum: 0,
    maximum: 100,
  },
  updatedAt: moment("When the record last changed. Increases with every change."),
};

const webhookEndpoint: TextsOf<typeof WebhookEndpoint> = {
  id: { description: "The endpoint's id.", pattern: "^whe_", examples: ["whe_06dcb7s2m0yr4gv0w3q8n5tk00"] },
  url: { description: "The address to which deliveries are sent.", format: "uri" },
  eventTypes: "The event types that the endpoint receives.",
  active:
    "Whether deliveries are sent. It becomes false when the receiver returns `410 Gone`, or when for five days no attempt has succeeded and at least ten have failed, on at least three days.",
  createdAt: moment("When it was registered."),
  description: "Your own note; null if there is none.",
  failingSince: {
    ...health.failingSince,
    description: "When the current series of failed attempts began; absent while attempts succeed.",
    "x-extension": true,
  },
  disabledAt: {
    ...health.disabledAt,
    description:
      "When the endpoint was set inactive, by the service or at your request; removed when you make it active again.",
    "x-extension": true,
  },
  disabledReason: {
    description: `${health.disabledReason} \`by_request\`: you set \`active\` to false.`,
    "x-extension": true,
  },
  lastSuccessAt: {
    ...moment(
      "When an attempt last succeeded; absent if none has. Recorded about once an hour while all attempts succeed: it may " +
        "be up to 75 minutes older than the last success.",
    ),
    "x-extension": true,
  },
};

const signingSecret: Text = {
  description:
    "The secret that signs deliveries. **Store it: it is returned only once and cannot be read again.**",
  pattern: "^whsec_",
  examples: ["whsec_mG4xkfRg0pXo3VvUq1cZ6nJ8hY2sT5wB7dLrEaKiQyM="],
};

const registration: TextsOf<typeof WebhookEndpointRegistration> = {
  url:
    "An https URL with a host name or a public IP address, without user name and password. Private, " +
    "loopback, link-local and other special addresses are refused. (The local stack also accepts loopback, over http.) " +
    "Its port must be 443, or 1024 or above. " +
    "A host name has at most 253 characters, in labels of 1 to 63 letters, digits, `-` and `_`, and does not begin " +
    "with `-`.",
  eventTypes:
    "The event types to receive. Duplicates are removed. Extensions beyond the contract's event types: " +
    `${EXTENSION_EVENT_TYPES.map((type) => `\`${type}\``).join(", ")}.`,
  description: "Your own note.",
};

/** The element of a list in a schema, which may itself be a list of objects. */
function itemOf<Item extends z.ZodMiniObject>(list: z.ZodMiniArray<Item>): Item {
  return list._zod.def.element;
}

const { shape: record } = CandidateRecord;
const recordDocument = itemOf(record.documents);
const recordAssessment = itemOf(record.assessments);

/** The body of every 4xx and 5xx response. */
export const ErrorEnvelope = z.strictObject({
  error: z.enum(Object.keys(ERROR_STATUS) as [ErrorCode, ...ErrorCode[]]),
  message: z.string(),
});

/** Requires nullable texts to be present, and not null. */
const given = (...members: string[]): oas31.SchemaObject => ({
  required: members,
  properties: Object.fromEntries(members.map((member) => [member, { type: "string" }])),
});

/** The description of an element of the record: the submission's element, as returned. */
const asReturned = (what: string) => `${what}, as returned.`;

/** The named schemas of the description, in order. */
export const schemas: Readonly<Record<string, Described>> = {
  CandidateSubmission: described(
    CandidateSubmission,
    "A candidate to create in intake. Members that are not listed here are refused, at every depth.",
    submitted,
  ),
  CreateResponse: described(CreateResponse, "The receipt of a candidate.", {
    ...handle,
    externalId: "The `externalId` in the request.",
    status: "Always `received`.",
    receivedAt: moment("When the candidate was first received."),
  }),
  CandidateBatch: described(CandidateBatch, "Candidates to create in one request.", {
    candidates: {
      description:
        "The candidates. Each is validated separately: an invalid one is refused in its result, and the others are " +
        "created.",
      items: { $ref: "#/components/schemas/CandidateSubmission" },
    },
  }),
  CandidateBatchResponse: described(CandidateBatchResponse, "The results of a batch.", {
    results: "One result for each candidate, in the order sent.",
  }),
  ReceivedRow: described(ReceivedRow, "The result of a candidate that is in intake.", {
    ...handle,
    externalId: "The `externalId` of the candidate.",
    status: "Always 201.",
    receivedAt: moment("When the candidate was first received."),
    replayed: "True if the candidate already existed, or is earlier in the same batch, and nothing changed.",
  }),
  RefusedRow: described(RefusedRow, "The result of a candidate that was refused, or could not be received.", {
    externalId: "The `externalId` of the candidate; null if it has no valid one.",
    status:
      "The status code that a single create would get: 400 (`invalid_request`), 413 (`payload_too_large`), " +
      "500 (`internal_error`) or 503 (`service_unavailable`). After 500 and 503 send the candidate again: it may or may " +
      "not have been received.",
    error: "The error code, for programs.",
    message: "A sentence for people, as in the error envelope. It never contains a value that was sent.",
  }),
  CandidateAmendment: described(
    CandidateAmendment,
    "The changes. An omitted member is kept; a member that is present is replaced as a whole, " +
      "including arrays and objects; null clears a nullable member. Members that are not listed here are refused.",
    amendable,
  ),
  CandidateRecord: described(
    CandidateRecord,
    "A candidate in the safe projection, which may be shown to recruiters and partners. It never contains e-mail, " +
      "phone, date of birth, gender, address, referees, consents, source or sensitive documents. A later version of v1 may add members.",
    recorded,
  ),
  ErasureRequest: described(
    ErasureRequest,
    "A request to erase a candidate. Members that are not listed here are refused.",
    { externalId: "The `externalId` given at create." },
  ),
  SandboxTransitionRequest: described(
    SandboxTransitionRequest,
    "The body of a transition in the sandbox. Members that are not listed here are refused.",
    { reasons: "Why validation failed. Required for `fail-validation`, refused for the others." },
  ),
  Address: described(Address, "A postal address.", address),
  JobPreferences: described(JobPreferences, "A candidate's job preferences.", jobPreferences),
  SalaryExpectation: described(SalaryExpectation, "The salary that a candidate expects.", salaryExpectation),
  Source: described(Source, "The source of a candidate.", {
    provider: "The provider of the candidate.",
    sourceChannel: "The channel, for example `referral`.",
    campaign: "The campaign.",
    submittedAt: "When the candidate was submitted to you: RFC 3339 with `Z` or an offset.",
  }),
  Skill: described(Skill, "A skill.", skill),
  WorkHistoryItem: described(WorkHistoryItem, "A position.", workHistoryItem),
  EducationItem: described(EducationItem, "A course of study.", educationItem),
  LanguageItem: described(LanguageItem, "A language.", languageItem),
  WorkEligibilityItem: described(
    WorkEligibilityItem,
    "The right to work in one target market.",
    workEligibilityItem,
  ),
  Referee: described(Referee, "A referee of the candidate: personal data, never returned.", {
    name: "Full name.",
    relationship: "How the referee knows the candidate.",
    company: "The referee's employer.",
    email: "E-mail address.",
    phone: "Telephone number, in any format.",
  }),
  Document: described(
    Document,
    "A document with its versions. `currentVersion` must be one of `versions[].version`, and version numbers " +
      "must be unique within the document.",
    document,
  ),
  DocumentVersion: described(DocumentVersion, "One version of a document.", documentVersion),
  Link: described(Link, "A link.", link),
  MediaItem: described(
    MediaItem,
    "A photo, video or audio. Send exactly one of `assetKey` (with `provider`) and `url`. Null counts as absent.",
    mediaItem,
    // Within `allOf`, because NSwag takes a schema that is itself a `oneOf` for a union without a name.
    { allOf: [{ oneOf: [given("assetKey"), given("url")] }] },
  ),
  Assessment: described(
    Assessment,
    "The summary of an assessment. The provider's system is the system of record. Send at most one of `reportKey` and " +
      "`reportUrl`. Null counts as absent.",
    assessment,
    { not: given("reportKey", "reportUrl") },
  ),
  Competency: described(Competency, "The score for one competency.", competency),
  Consent: described(
    Consent,
    "Consent to one purpose. It is stored but not interpreted: only `consentGiven` controls access.",
    {
      type: "The purpose of the consent.",
      granted: "Whether it was given.",
      grantedAt: "When it was given: RFC 3339 with `Z` or an offset.",
      policyVersion: "The accepted version of the policy.",
    },
  ),
  RecordSkill: described(itemOf(record.skills), asReturned("A skill"), skill),
  RecordWorkHistoryItem: described(itemOf(record.workHistory), asReturned("A position"), workHistoryItem),
  RecordEducationItem: described(itemOf(record.education), asReturned("A course of study"), educationItem),
  RecordLanguageItem: described(itemOf(record.languages), asReturned("A language"), languageItem),
  RecordWorkEligibilityItem: described(
    itemOf(record.workEligibility),
    asReturned("The right to work in one target market"),
    workEligibilityItem,
  ),
  RecordJobPreferences: described(
    record.jobPreferences,
    asReturned("A candidate's job preferences"),
    jobPreferences,
  ),
  RecordSalaryExpectation: described(
    record.jobPreferences.shape.salaryExpectation._zod.def.innerType,
    asReturned("The salary that a candidate expects"),
    salaryExpectation,
  ),
  RecordDocument: described(recordDocument, asReturned("A document with its versions"), document),
  RecordDocumentVersion: described(
    itemOf(recordDocument.shape.versions),
    asReturned("One version of a document"),
    documentVersion,
  ),
  RecordLink: described(itemOf(record.links), asReturned("A link"), link),
  RecordMediaItem: described(itemOf(record.media), asReturned("A photo, video or audio"), mediaItem),
  RecordAssessment: described(recordAssessment, asReturned("The summary of an assessment"), assessment),
  RecordCompetency: described(
    itemOf(recordAssessment.shape.competencies),
    asReturned("The score for one competency"),
    competency,
  ),
  WebhookEndpointRegistration: described(
    WebhookEndpointRegistration,
    "The endpoint to register. Members that are not listed here are refused.",
    registration,
  ),
  WebhookEndpointUpdate: described(
    WebhookEndpointUpdate,
    "The changes. An omitted member is kept. Null clears the description. Members that are not listed " +
      "here are refused.",
    { ...registration, active: "False stops deliveries, true resumes them." },
  ),
  WebhookEndpoint: described(WebhookEndpoint, "A registered endpoint.", webhookEndpoint),
  CreatedWebhookEndpoint: described(CreatedWebhookEndpoint, "The registered endpoint, with its secret.", {
    ...webhookEndpoint,
    signingSecret,
  }),
  RotatedWebhookEndpoint: described(RotatedWebhookEndpoint, "An endpoint with its new secret.", {
    ...webhookEndpoint,
    signingSecret,
    previousSecretExpiresAt: moment(
      "Until then deliveries are also signed with the previous secret, in `X-RR-Signature-Previous`.",
    ),
  }),
  WebhookEndpointList: described(WebhookEndpointList, "Every endpoint of the organisation.", {
    data: `The endpoints, oldest first; at most ${ENDPOINTS_PER_ORGANISATION}.`,
  }),
  WebhookDeliveryPage: described(WebhookDeliveryPage, "A page of an endpoint's deliveries.", {
    data: "The deliveries, newest event first.",
    nextCursor: "The `cursor` of the next page; absent on the last one.",
  }),
  WebhookDelivery: described(WebhookDelivery, "The delivery of an event to an endpoint.", {
    eventId: { description: "The event's id.", pattern: "^evt_" },
    eventType: "The type of the event.",
    status:
      "`pending`: not acknowledged yet. `delivered`: acknowledged with 2xx. `failed`: exhausted its attempts. `dropped`: ended " +
      "because the endpoint returned 410 or was inactive, or because the candidate was erased: see `reason`.",
    attempts: "Every attempt so far, oldest first.",
    nextAttemptAt: moment("When the next attempt is due; absent if there is none."),
    reason:
      "Why it was dropped; absent if the endpoint was the cause. `candidate_erased`: the candidate was erased after " +
      "the event fired or, of `candidate.erased` itself, created again.",
    sample: "Present, and true, only for a sample.",
  }),
  DeliveryAttempt: described(
    DeliveryAttempt,
    "One attempt of a delivery: with `statusCode`, or with `failure` if there was no response.",
    {
      attempt: "Counts from 1, and again from 1 after a resend.",
      at: moment("When the attempt was made."),
      durationMs: "The time to the response's headers, or to the failure, in milliseconds.",
      statusCode: "The status code of the receiver's response.",
      failure:
        "Why there was no response, or none that can be read. `invalid_response`: it is not valid HTTP/1.x, has more " +
        "than 16 KiB of headers, or is a 101.",
    },
  ),
  RecoveryRequest: described(RecoveryRequest, "The events that a recovery sends.", {
    since: "Events since this time (RFC 3339). The feed must still contain them.",
    until:
      "Events until this time, within a second, except those that the service publishes more than five seconds after " +
      "it: these are delivered like new events. If it is omitted or in the future, the time of the call.",
    eventTypes: "The types of the events. If omitted, those that the endpoint is subscribed to.",
  }),
  Recovery: described(Recovery, "A recovery of the events that an endpoint missed.", {
    id: { description: "The recovery's id.", pattern: "^rec_" },
    status:
      "`running`: events are being queued. `completed`: all are queued. `failed`: it ended before that; see `reason`.",
    found: "The events so far that the endpoint has not acknowledged.",
    sent: "Those of them that were queued. The others are attempted soon anyway, belong to an erased candidate, or have had 100 attempts.",
    since: moment("The start of the period."),
    until: moment("The end of the period."),
    eventTypes: "The types of the events.",
    startedAt: moment("When the recovery was started."),
    endedAt: moment("When it ended; absent while it is running."),
    reason: "Why it failed; absent otherwise.",
  }),
  EventPage: described(EventPage, "A page of the event feed.", {
    data: "Events in the order of their publication; may be empty even if `hasMore` is true.",
    nextCursor: "The `cursor` of the next page. Always present: poll with it.",
    hasMore: "Whether there is more to read now.",
  }),
  ...eventComponents,
  Reason: described(
    Reason,
    "Why intake rejected a candidate. The platform must not put personal data into either member, but nothing checks this: handle both like personal data.",
    {
      code: "A code for programs.",
      message: "A sentence for people.",
    },
  ),
  Error: described(ErrorEnvelope, "A refusal or fault, with exactly these two members.", {
    error: "The error code, for programs.",
    message:
      "A sentence for people. For `invalid_request` it lists the problems as `<path>: <what is expected>`, " +
      "joined by `; `: the first 20, and how many more there are. It never contains a value that was sent.",
  }),
};

// zod-openapi creates a component for each schema that has an id in Zod's own registry.
for (const [id, { schema }] of Object.entries(schemas)) z.globalRegistry.add(schema, { id });
