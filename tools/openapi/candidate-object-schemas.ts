import type * as z from "zod/mini";
import type { oas31 } from "zod-openapi";
import { Assessment, Competency } from "#contract/assessment";
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
import { Document, DocumentVersion } from "#contract/document";
import * as texts from "./candidate-object-texts.ts";
import { condition } from "./condition.ts";
import { type Described, described } from "./described.ts";

/** Requires a nullable text to be present, and not null. */
const given = (member: string): oas31.SchemaObject => ({
  required: [member],
  properties: { [member]: { type: "string" } },
});

/** Requires a nullable text to be absent, or null. */
const notGiven = (member: string): oas31.SchemaObject => ({ properties: { [member]: { type: "null" } } });

/** The objects and list elements of a submission. */
export const candidateObjectSchemas: Readonly<Record<string, Described>> = {
  Address: described(Address, "A postal address.", texts.address),
  JobPreferences: described(JobPreferences, "A candidate's job preferences.", texts.jobPreferences),
  SalaryExpectation: described(
    SalaryExpectation,
    "The salary that a candidate expects.",
    texts.salaryExpectation,
  ),
  Source: described(Source, "The source of a candidate.", {
    provider: "The provider of the candidate.",
    sourceChannel: "The channel, for example `referral`.",
    campaign: "The campaign.",
    submittedAt: "When the candidate was submitted to you: RFC 3339 with `Z` or an offset.",
  }),
  Skill: described(Skill, "A skill.", texts.skill),
  WorkHistoryItem: described(WorkHistoryItem, "A position.", texts.workHistoryItem),
  EducationItem: described(EducationItem, "A course of study.", texts.educationItem),
  LanguageItem: described(LanguageItem, "A language.", texts.languageItem),
  WorkEligibilityItem: described(
    WorkEligibilityItem,
    "The right to work in one target market.",
    texts.workEligibilityItem,
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
    texts.document,
  ),
  DocumentVersion: described(DocumentVersion, "One version of a document.", texts.documentVersion),
  Link: described(Link, "A link.", texts.link),
  MediaItem: described(
    MediaItem,
    "A photo, video or audio. Send exactly one of `assetKey` (with `provider`) and `url`. Null counts as absent.",
    texts.mediaItem,
    condition(given("assetKey"), notGiven("url"), given("url")),
  ),
  Assessment: described(
    Assessment,
    "The summary of an assessment. The provider's system is the system of record. Send at most one of `reportKey` and " +
      "`reportUrl`. Null counts as absent.",
    texts.assessment,
    condition(given("reportKey"), notGiven("reportUrl")),
  ),
  Competency: described(Competency, "The score for one competency.", texts.competency),
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
};

/** The element of a list in a schema, which may itself be a list of objects. */
function itemOf<Item extends z.ZodMiniObject>(list: z.ZodMiniArray<Item>): Item {
  return list._zod.def.element;
}

const { shape: record } = CandidateRecord;
const recordDocument = itemOf(record.documents);
const recordAssessment = itemOf(record.assessments);

/** The description of an element of the record: the submission's element, as returned. */
const asReturned = (what: string) => `${what}, as returned.`;

/** The objects and list elements of a record. */
export const recordObjectSchemas: Readonly<Record<string, Described>> = {
  RecordSkill: described(itemOf(record.skills), asReturned("A skill"), texts.skill),
  RecordWorkHistoryItem: described(
    itemOf(record.workHistory),
    asReturned("A position"),
    texts.workHistoryItem,
  ),
  RecordEducationItem: described(
    itemOf(record.education),
    asReturned("A course of study"),
    texts.educationItem,
  ),
  RecordLanguageItem: described(itemOf(record.languages), asReturned("A language"), texts.languageItem),
  RecordWorkEligibilityItem: described(
    itemOf(record.workEligibility),
    asReturned("The right to work in one target market"),
    texts.workEligibilityItem,
  ),
  RecordJobPreferences: described(
    record.jobPreferences,
    asReturned("A candidate's job preferences"),
    texts.jobPreferences,
  ),
  RecordSalaryExpectation: described(
    record.jobPreferences.shape.salaryExpectation._zod.def.innerType,
    asReturned("The salary that a candidate expects"),
    texts.salaryExpectation,
  ),
  RecordDocument: described(recordDocument, asReturned("A document with its versions"), texts.document),
  RecordDocumentVersion: described(
    itemOf(recordDocument.shape.versions),
    asReturned("One version of a document"),
    texts.documentVersion,
  ),
  RecordLink: described(itemOf(record.links), asReturned("A link"), texts.link),
  RecordMediaItem: described(itemOf(record.media), asReturned("A photo, video or audio"), texts.mediaItem),
  RecordAssessment: described(recordAssessment, asReturned("The summary of an assessment"), texts.assessment),
  RecordCompetency: described(
    itemOf(recordAssessment.shape.competencies),
    asReturned("The score for one competency"),
    texts.competency,
  ),
};
