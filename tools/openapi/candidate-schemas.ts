import { CandidateBatch, CandidateBatchResponse, ReceivedRow, RefusedRow } from "#contract/candidate-batch";
import { CandidateRecord } from "#contract/candidate-record";
import {
  CandidateAmendment,
  CandidateSubmission,
  CreateResponse,
  ErasureRequest,
  ITEMS_PER_BODY,
} from "#contract/candidate-submission";
import { SandboxTransitionRequest } from "#contract/platform-transition";
import { COUNTRY } from "./candidate-object-texts.ts";
import { type Described, described, moment, type Text, type TextsOf } from "./described.ts";
import { standing } from "./events.ts";

const handle = {
  stagedId: {
    description: "The intake handle. It stays valid after promotion.",
    pattern: "^staged_",
    examples: ["staged_4g9v8z0d3m6n1p5q7r2s4t6w8x"],
  },
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
    description:
      "From 0 to 100, set by the platform; null until then, and after the platform has cleared it.",
    minimum: 0,
    maximum: 100,
  },
  updatedAt: moment("When the record last changed. Increases with every change."),
};

/** The bodies of requests and responses about candidates. */
export const candidateSchemas: Readonly<Record<string, Described>> = {
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
};
