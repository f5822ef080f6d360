import * as z from "zod/mini";
import type { oas31 } from "zod-openapi";
import { CandidateRecord } from "#contract/candidate-record";
import {
  Address,
  Assessment,
  CandidateAmendment,
  CandidateSubmission,
  Competency,
  Consent,
  CreateResponse,
  Document,
  DocumentVersion,
  EducationItem,
  ErasureRequest,
  JobPreferences,
  LanguageItem,
  LISTED_IN_A_BODY,
  Link,
  MediaItem,
  Referee,
  SalaryExpectation,
  Skill,
  Source,
  WorkEligibilityItem,
  WorkHistoryItem,
} from "#contract/candidate-submission";
import { ERROR_STATUS, type ErrorCode } from "#contract/errors";
import { EXTENSION_EVENT_TYPES, Reason } from "#contract/events";
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
import { eventComponents, standing } from "./events.ts";

const COUNTRY = "ISO 3166-1 alpha-2: two upper-case letters.";
const ANY_SCHEME =
  "A URI as RFC 3986 has it, of any scheme but `javascript:` and `vbscript:`; kept and returned byte for byte.";

const handle = {
  stagedId: {
    description: "The intake handle. It stays valid after promotion and resolves to the candidate.",
    pattern: "^staged_",
    examples: ["staged_4g9v8z0d3m6n1p5q7r2s4t6w8x"],
  },
};

const address: TextsOf<typeof Address> = {
  line1: "Street and number.",
  line2: "What the first line has no room for.",
  city: "City or town.",
  region: "State or province.",
  postalCode: "Postal code.",
  country: `Country. ${COUNTRY}`,
};

const salaryExpectation: TextsOf<typeof SalaryExpectation> = {
  currency: "ISO 4217: three upper-case letters.",
  min: "The least expected, in the currency's main unit.",
  max: "The most expected, in the currency's main unit.",
  period: "The period that the amounts are for.",
};

const jobPreferences: TextsOf<typeof JobPreferences> = {
  desiredTitles: "Job titles that the candidate looks for.",
  employmentTypes: "Kinds of employment that the candidate would take.",
  preferredCountries: `Countries the candidate would work in. ${COUNTRY}`,
  openToRelocation: "Whether the candidate would move for the work; null when not asked.",
  openToRemote: "Whether the candidate would work remotely; null when not asked.",
  salaryExpectation: "What the candidate expects to earn.",
};

const skill: TextsOf<typeof Skill> = {
  name: "Name of the skill.",
  yearsExperience: "Years of experience, fractions allowed.",
  proficiency: "How well the candidate masters it.",
  lastUsedYear: "The year in which it was last used.",
};

const workHistoryItem: TextsOf<typeof WorkHistoryItem> = {
  employer: "Name of the employer.",
  jobTitle: "Title of the position.",
  employmentType: "Kind of employment.",
  startDate: "First day, `YYYY-MM-DD`.",
  endDate: "Last day, `YYYY-MM-DD`; null means that this is the current position.",
  isCurrent: "Whether this is the current position. It is not derived from `endDate`.",
  location: "Where the work was done.",
  description: "What the work was about.",
};

const educationItem: TextsOf<typeof EducationItem> = {
  institution: "School, university or other institution.",
  qualification: "The degree or certificate.",
  fieldOfStudy: "The subject.",
  completionStatus: "Whether it was completed.",
  startDate: "First day, `YYYY-MM-DD`.",
  endDate: "Last day, `YYYY-MM-DD`.",
  grade: "Final grade, in the institution's own scale.",
};

const languageItem: TextsOf<typeof LanguageItem> = {
  language: "Name of the language.",
  proficiency: "How well the candidate speaks it.",
};

const workEligibilityItem: TextsOf<typeof WorkEligibilityItem> = {
  country: `The market that this is about. ${COUNTRY}`,
  status: "The candidate's right to work there.",
  visaType: "Kind of visa, where there is one.",
  expiresAt: "The day on which the right ends, `YYYY-MM-DD`.",
};

const documentVersion: TextsOf<typeof DocumentVersion> = {
  version: "Number of the version, unique within the document.",
  url: `Where the file is kept. ${ANY_SCHEME}`,
  fileName: "Name of the file.",
  contentType: "MIME type of the file.",
  sizeBytes: "Size of the file in bytes.",
  uploadedAt: "When this version was uploaded: RFC 3339 with `Z` or an offset.",
  checksum: "Integrity hash of the file, in a form of your choice.",
  uploadedByExternalId: "Your own id of who uploaded it.",
};

const document: TextsOf<typeof Document> = {
  documentType: "What kind of document this is.",
  label: "A name for people.",
  currentVersion: "The version that counts: one of `versions[].version`.",
  versions: "Every version, in any order. Version numbers are unique within the document.",
};

const link: TextsOf<typeof Link> = {
  type: "Where the link leads to.",
  url: `The address. ${ANY_SCHEME}`,
  label: "A name for people.",
};

const mediaItem: TextsOf<typeof MediaItem> = {
  kind: "What the item shows.",
  assetKey:
    "Opaque storage key. Exchange it with `provider` for a short-lived signed URL; it cannot be fetched itself.",
  provider: "Who signs `assetKey`; meaningful only with it.",
  url: `A link that can be used as it is. ${ANY_SCHEME}`,
  contentType: "MIME type.",
  fileName: "Name of the file.",
  sizeBytes: "Size in bytes.",
  durationSeconds: "Length of a video or of audio, in seconds.",
  width: "Width in pixels.",
  height: "Height in pixels.",
  caption: "A sentence about the item.",
  uploadedAt: "When it was uploaded: RFC 3339 with `Z` or an offset.",
};

const competency: TextsOf<typeof Competency> = {
  code: "The provider's code of the competency.",
  label: "Its name for people.",
  score: "The score in it.",
};

const assessment: TextsOf<typeof Assessment> = {
  externalId: "The assessment provider's own id of the result.",
  provider: "Who assessed. `proctor` is the platform's own proctoring engine.",
  name: "Name of the assessment.",
  status: "Where the assessment stands.",
  outcome: "Present once completed, omitted otherwise.",
  score: "The score.",
  maxScore: "The highest score that can be reached.",
  scoreBand: "The band that the score falls into.",
  competencies: "Scores by competency.",
  reportKey: "Opaque key of the full report. Not together with `reportUrl`.",
  reportUrl: `Address of the full report. Not together with \`reportKey\`. ${ANY_SCHEME}`,
  completedAt: "When it was completed: RFC 3339 with `Z` or an offset.",
  expiresAt: "When the result ceases to count: RFC 3339 with `Z` or an offset.",
};

const amendable: TextsOf<typeof CandidateAmendment> = {
  firstName: "Given name.",
  middleName: "Middle name.",
  preferredName: "The name the candidate goes by.",
  lastName: "Family name.",
  headline: "One line about the candidate.",
  summary: "The candidate's biography.",
  phone: "Telephone number, in any notation. Never returned.",
  consentGiven:
    "`false` withdraws consent: the other members of this body are applied, `candidate.consent_revoked` fires, " +
    "and from then on reads and amends return 404 `consent_revoked`. An amend with `true` restores access, and " +
    "`candidate.consent_restored`, an extension, fires.",
  address: "Postal address. Never returned.",
  jobPreferences: "What work the candidate looks for.",
  skills: "What the candidate can do.",
  workHistory: "Positions the candidate has held.",
  education: "Where the candidate has studied.",
  languages: "Languages the candidate speaks.",
  workEligibility: "The right to work, by country.",
  documents:
    "Replaces the documents that a read shows and, of the sensitive types (`identity_document`, `right_to_work`, " +
    "`police_clearance`, `medical_certificate`), those that the list names; sensitive documents of other types are " +
    "kept. **An empty list removes all, sensitive ones too.** A record that shows `[]` may still have sensitive " +
    `documents: leave the member out to keep them. ${LISTED_IN_A_BODY} is the bound of a body, not of what a candidate has.`,
  links: "Links to profiles and pages.",
  media: "Photos, videos and audio.",
  assessments:
    "Results of assessments, as a summary. Replaces your entries. The platform's are kept apart and no amend changes " +
    `them: an entry with \`provider\` and \`externalId\` of one of the platform's is ignored. ${LISTED_IN_A_BODY} is the ` +
    "bound of a body: a record may return more.",
  consents:
    "Consents by purpose, for audits. The entries are kept and never interpreted: `consentGiven` alone decides about " +
    "access. Never returned.",
};

const submitted: TextsOf<typeof CandidateSubmission> = {
  ...amendable,
  externalId: "Your own stable id of the candidate. Creating is idempotent on it within your organisation.",
  email: "E-mail address, its case kept. Never returned.",
  dateOfBirth: "Date of birth, `YYYY-MM-DD`. Never returned.",
  gender: "Gender. Never returned.",
  nationality: `Nationality. ${COUNTRY}`,
  countryOfResidence: `Country of residence. ${COUNTRY}`,
  consentGiven: "The candidate's consent. Only `true` is accepted.",
  source: "Where the candidate comes from. Never returned.",
  referees: "People who vouch for the candidate. Never returned.",
  tags: "Labels of your choice.",
  documents:
    "Documents with their versions. Types `identity_document`, `right_to_work`, `police_clearance` and " +
    "`medical_certificate` are sensitive: they are kept, and never returned.",
  assessments: "Results of assessments, as a summary.",
};

const recorded: Record<keyof typeof CandidateRecord.shape, Text> = {
  ...submitted,
  ...standing,
  id: {
    description:
      "The canonical id (`cand_…`) once the candidate is promoted; the `stagedId` until then. Either works as `{id}`.",
    pattern: "^(?:cand|staged)_",
    examples: ["cand_4g9v8z0d3m6n1p5q7r2s4t6w8x"],
  },
  nationality: `Nationality; absent when it was not given. ${COUNTRY}`,
  documents:
    "Documents with their versions, without the sensitive types. An empty list does not say that there are no " +
    "sensitive ones.",
  assessments:
    "Results of assessments, as a summary: your entries, then those that the platform added or overrode. Of entries " +
    "with the same `provider` and `externalId` the platform's is returned.",
  workReadinessScore: {
    description: "From 0 to 100, set by the platform's assessment domain; null until it is.",
    minimum: 0,
    maximum: 100,
  },
  updatedAt: moment("When the record last changed. It moves forward with every change."),
};

const webhookEndpoint: TextsOf<typeof WebhookEndpoint> = {
  id: { description: "The endpoint's id.", pattern: "^whe_", examples: ["whe_06dcb7s2m0yr4gv0w3q8n5tk00"] },
  url: { description: "Where deliveries are sent.", format: "uri" },
  eventTypes: "The event types that are sent to it.",
  active:
    "Whether deliveries are sent. A receiver's `410 Gone` makes it false, and so do five days in which it took nothing and ten attempts failed on three days.",
  createdAt: moment("When it was registered."),
  description: "Your own note about it; null when there is none.",
};

const signingSecret: Text = {
  description: "The secret that signs deliveries. **Keep it: it is shown once and cannot be read again.**",
  pattern: "^whsec_",
  examples: ["whsec_mG4xkfRg0pXo3VvUq1cZ6nJ8hY2sT5wB7dLrEaKiQyM"],
};

const registration: TextsOf<typeof WebhookEndpointRegistration> = {
  url:
    "An https URL: a host name or a public literal address, without user name and password. Private, " +
    "loopback, link-local and other special addresses are refused. (The local stack also takes loopback, over http.)",
  eventTypes:
    "The event types to be sent. A name that is repeated is kept once. Extensions, beyond the contract's event types: " +
    `${EXTENSION_EVENT_TYPES.map((type) => `\`${type}\``).join(", ")}.`,
  description: "Your own note about it.",
};

/** The element of a list in a schema, which may itself be a list of objects. */
function itemOf<Item extends z.ZodMiniObject>(list: z.ZodMiniArray<Item>): Item {
  return list._zod.def.element;
}

const { shape: record } = CandidateRecord;
const recordDocument = itemOf(record.documents);
const recordAssessment = itemOf(record.assessments);

/** The body of every 4xx and 5xx answer. */
export const ErrorEnvelope = z.strictObject({
  error: z.enum(Object.keys(ERROR_STATUS) as [ErrorCode, ...ErrorCode[]]),
  message: z.string(),
});

/** That nullable texts are there, and not null. */
const given = (...members: string[]): oas31.SchemaObject => ({
  required: members,
  properties: Object.fromEntries(members.map((member) => [member, { type: "string" }])),
});

/** What an element of the record is like: the submission's, in the form in which it is returned. */
const asReturned = (what: string) => `${what}, as it is returned.`;

/** The schemas that the description names, in the order in which it shows them. */
export const schemas: Readonly<Record<string, Described>> = {
  CandidateSubmission: described(
    CandidateSubmission,
    "A candidate as it is pushed into intake. Members that are not listed here are refused, at every depth.",
    submitted,
  ),
  CreateResponse: described(CreateResponse, "The receipt of a candidate.", {
    ...handle,
    externalId: "The `externalId` that was sent.",
    status: "Always `received`.",
    receivedAt: moment("When the candidate was first received."),
  }),
  CandidateAmendment: described(
    CandidateAmendment,
    "What is to change. A member that is omitted is kept; one that is present replaces the whole member, " +
      "arrays and objects too; null clears a member that is nullable. Members that are not listed here are refused.",
    amendable,
  ),
  CandidateRecord: described(
    CandidateRecord,
    "A candidate in the safe projection: what may be shown to recruiters and partners. It never holds e-mail, " +
      "phone, date of birth, gender, address, referees or sensitive documents. A later version of v1 may add members.",
    recorded,
  ),
  ErasureRequest: described(
    ErasureRequest,
    "A request to erase a candidate. Members that are not listed here are refused.",
    { externalId: "The `externalId` that was given at create." },
  ),
  Address: described(Address, "A postal address.", address),
  JobPreferences: described(JobPreferences, "What work a candidate looks for.", jobPreferences),
  SalaryExpectation: described(SalaryExpectation, "What a candidate expects to earn.", salaryExpectation),
  Source: described(Source, "Where a candidate comes from.", {
    provider: "Who provided the candidate.",
    sourceChannel: "The channel, for instance `referral`.",
    campaign: "The campaign.",
    submittedAt: "When it was submitted to you: RFC 3339 with `Z` or an offset.",
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
  Referee: described(Referee, "Someone who vouches for the candidate: personal data, never returned.", {
    name: "Full name.",
    relationship: "How the referee knows the candidate.",
    company: "Where the referee works.",
    email: "E-mail address.",
    phone: "Telephone number, in any notation.",
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
    "A photo, a video or audio. Send exactly one of `assetKey` (with `provider`) and `url`; null counts as absent.",
    mediaItem,
    { oneOf: [given("assetKey"), given("url")] },
  ),
  Assessment: described(
    Assessment,
    "The summary of an assessment; the system of record is the provider's. Send at most one of `reportKey` and " +
      "`reportUrl`; null counts as absent.",
    assessment,
    { not: given("reportKey", "reportUrl") },
  ),
  Competency: described(Competency, "The score in one competency.", competency),
  Consent: described(
    Consent,
    "Consent to one purpose. It is kept and never interpreted: `consentGiven` alone decides about access.",
    {
      type: "What the consent is for.",
      granted: "Whether it was given.",
      grantedAt: "When it was given: RFC 3339 with `Z` or an offset.",
      policyVersion: "The version of the policy that was agreed to.",
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
    asReturned("What work a candidate looks for"),
    jobPreferences,
  ),
  RecordSalaryExpectation: described(
    record.jobPreferences.shape.salaryExpectation._zod.def.innerType,
    asReturned("What a candidate expects to earn"),
    salaryExpectation,
  ),
  RecordDocument: described(recordDocument, asReturned("A document with its versions"), document),
  RecordDocumentVersion: described(
    itemOf(recordDocument.shape.versions),
    asReturned("One version of a document"),
    documentVersion,
  ),
  RecordLink: described(itemOf(record.links), asReturned("A link"), link),
  RecordMediaItem: described(itemOf(record.media), asReturned("A photo, a video or audio"), mediaItem),
  RecordAssessment: described(recordAssessment, asReturned("The summary of an assessment"), assessment),
  RecordCompetency: described(
    itemOf(recordAssessment.shape.competencies),
    asReturned("The score in one competency"),
    competency,
  ),
  WebhookEndpointRegistration: described(
    WebhookEndpointRegistration,
    "Where events are to be sent. Members that are not listed here are refused.",
    registration,
  ),
  WebhookEndpointUpdate: described(
    WebhookEndpointUpdate,
    "What is to change. A member that is omitted is kept, null clears the description, members that are not listed " +
      "here are refused.",
    { ...registration, active: "False stops deliveries, true starts them again." },
  ),
  WebhookEndpoint: described(WebhookEndpoint, "A registered endpoint.", webhookEndpoint),
  CreatedWebhookEndpoint: described(CreatedWebhookEndpoint, "An endpoint as it is registered.", {
    ...webhookEndpoint,
    signingSecret,
  }),
  RotatedWebhookEndpoint: described(RotatedWebhookEndpoint, "An endpoint with its new secret.", {
    ...webhookEndpoint,
    signingSecret,
    previousSecretExpiresAt: moment(
      "Until when deliveries are signed with the secret before, too, in `X-RR-Signature-Previous`.",
    ),
  }),
  WebhookEndpointList: described(WebhookEndpointList, "Every endpoint of the organisation.", {
    data: `The endpoints, oldest first; there are ${ENDPOINTS_PER_ORGANISATION} at most.`,
  }),
  WebhookDeliveryPage: described(WebhookDeliveryPage, "A page of an endpoint's deliveries.", {
    data: "The deliveries, newest event first.",
    nextCursor: "The `cursor` of the next page; absent on the last one.",
  }),
  WebhookDelivery: described(WebhookDelivery, "What became of an event at an endpoint.", {
    eventId: { description: "The event's id.", pattern: "^evt_" },
    eventType: "What happened.",
    status:
      "`pending`: not acknowledged yet. `delivered`: acknowledged with 2xx. `failed`: it exhausted its attempts. `dropped`: ended with the " +
      "endpoint, which returned 410 or was inactive, or with the candidate, which was erased: see `reason`.",
    attempts: "Every attempt so far, oldest first.",
    nextAttemptAt: moment("When the next attempt is due; present while there is one."),
    reason:
      "Why it was dropped, unless that is because of the endpoint. `candidate_erased`: the candidate was erased after " +
      "the event fired.",
    sample: "Present, and true, only on a sample.",
  }),
  DeliveryAttempt: described(
    DeliveryAttempt,
    "One attempt of a delivery: with `statusCode`, or with `failure` where there was no response.",
    {
      attempt: "Counts from 1; from 1 again when the delivery is sent once more.",
      at: moment("When it was made."),
      durationMs: "The time to the response's headers, or to the failure, in milliseconds.",
      statusCode: "The status code of the receiver's response.",
      failure: "Why there was no response.",
    },
  ),
  ...eventComponents,
  Reason: described(Reason, "Why intake rejected a candidate. Neither member holds personal data.", {
    code: "For programs.",
    message: "For people.",
  }),
  Error: described(ErrorEnvelope, "A refusal or a fault: exactly these two members.", {
    error: "What it is, for programs.",
    message:
      "What to do about it, for people. For `invalid_request` it names each problem as `<path>: <what is expected>`, " +
      "joined by `; `, and never repeats a value that was sent.",
  }),
};

// zod-openapi makes a component of each schema that has an id in Zod's own registry.
for (const [id, { schema }] of Object.entries(schemas)) z.globalRegistry.add(schema, { id });
