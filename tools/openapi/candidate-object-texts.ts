import type { Assessment, Competency } from "#contract/assessment";
import type {
  Address,
  EducationItem,
  JobPreferences,
  LanguageItem,
  Link,
  MediaItem,
  SalaryExpectation,
  Skill,
  WorkEligibilityItem,
  WorkHistoryItem,
} from "#contract/candidate-objects";
import type { Document, DocumentVersion } from "#contract/document";
import type { TextsOf } from "./described.ts";

export const COUNTRY = "ISO 3166-1 alpha-2: any two upper-case letters are accepted.";
const ANY_SCHEME =
  "A URI (RFC 3986) with any scheme except `javascript:` and `vbscript:`. Stored and returned byte for byte.";

export const address: TextsOf<typeof Address> = {
  line1: "Street and number.",
  line2: "Second address line.",
  city: "City or town.",
  region: "State or province.",
  postalCode: "Postal code.",
  country: `Country. ${COUNTRY}`,
};

export const salaryExpectation: TextsOf<typeof SalaryExpectation> = {
  currency: "ISO 4217: any three upper-case letters are accepted.",
  min: "The lowest expected salary, in the currency's main unit.",
  max: "The highest expected salary, in the currency's main unit.",
  period: "The period of the amounts.",
};

export const jobPreferences: TextsOf<typeof JobPreferences> = {
  desiredTitles: "Job titles that the candidate is looking for.",
  employmentTypes: "Types of employment that the candidate would accept.",
  preferredCountries: `Countries the candidate would work in. ${COUNTRY}`,
  openToRelocation: "Whether the candidate would relocate; null if not asked.",
  openToRemote: "Whether the candidate would work remotely; null if not asked.",
  salaryExpectation: "The salary that the candidate expects.",
};

export const skill: TextsOf<typeof Skill> = {
  name: "Name of the skill.",
  yearsExperience: "Years of experience. Fractions are allowed.",
  proficiency: "The candidate's proficiency in it.",
  lastUsedYear: "The year in which it was last used.",
};

export const workHistoryItem: TextsOf<typeof WorkHistoryItem> = {
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

export const educationItem: TextsOf<typeof EducationItem> = {
  institution: "School, university or other institution.",
  qualification: "The degree or certificate.",
  fieldOfStudy: "The subject.",
  completionStatus: "Whether it was completed.",
  startDate: "First day, `YYYY-MM-DD`.",
  endDate: "Last day, `YYYY-MM-DD`.",
  grade: "Final grade, on the institution's own scale.",
};

export const languageItem: TextsOf<typeof LanguageItem> = {
  language: "Name of the language.",
  proficiency: "The candidate's proficiency in it.",
};

export const workEligibilityItem: TextsOf<typeof WorkEligibilityItem> = {
  country: `The target market. ${COUNTRY}`,
  status: "The candidate's right to work there.",
  visaType: "Type of visa, if any.",
  expiresAt: "The last day of the right, `YYYY-MM-DD`.",
};

export const documentVersion: TextsOf<typeof DocumentVersion> = {
  version: "Number of the version, unique within the document.",
  url: `Location of the file. ${ANY_SCHEME}`,
  fileName: "Name of the file.",
  contentType: "MIME type of the file.",
  sizeBytes: "Size of the file in bytes.",
  uploadedAt: "When this version was uploaded: RFC 3339 with `Z` or an offset.",
  checksum: "Checksum of the file, in a format of your choice.",
  uploadedByExternalId: "Your own id of the uploader.",
};

export const document: TextsOf<typeof Document> = {
  documentType: "Type of the document.",
  label: "A display name.",
  currentVersion: "The current version: one of `versions[].version`.",
  versions: "Every version, in any order. Version numbers are unique within the document.",
};

export const link: TextsOf<typeof Link> = {
  type: "Type of the link target.",
  url: `The address. ${ANY_SCHEME}`,
  label: "A display name.",
};

export const mediaItem: TextsOf<typeof MediaItem> = {
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

export const competency: TextsOf<typeof Competency> = {
  code: "The provider's code for the competency.",
  label: "Its display name.",
  score: "The score for this competency.",
};

export const assessment: TextsOf<typeof Assessment> = {
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
