import type { z } from "zod/mini";
import type { CandidateBatch, CandidateBatchResponse } from "#contract/candidate-batch";
import type { CandidateRecord } from "#contract/candidate-record";
import type { CandidateAmendment, CandidateSubmission, CreateResponse } from "#contract/candidate-submission";
import type { Reason } from "#contract/reason";

/** The smallest submission that create accepts. */
export const smallestSubmission: z.input<typeof CandidateSubmission> = {
  externalId: "ext-1001",
  firstName: "Ada",
  lastName: "Lovelace",
  email: "ada@example.com",
  countryOfResidence: "GB",
  consentGiven: true,
};

const skills = [
  { name: "Analysis", yearsExperience: 12, proficiency: "expert" as const, lastUsedYear: 2026 },
  { name: "Technical writing", yearsExperience: 7.5 },
];

const languages = [
  { language: "English", proficiency: "native" as const },
  { language: "French", proficiency: "professional" as const },
];

const position = {
  employer: "Analytical Engines Ltd",
  jobTitle: "Analyst",
  employmentType: "full_time" as const,
  startDate: "2015-02-01",
  endDate: null,
  isCurrent: true,
  location: "London",
};

const education = [
  {
    institution: "University of London",
    qualification: "BSc",
    fieldOfStudy: "Mathematics",
    endDate: "2006-06-30",
  },
];

const cv = {
  version: 1,
  url: "https://files.example.com/ext-1001/cv-1.pdf",
  fileName: "cv.pdf",
  contentType: "application/pdf",
  sizeBytes: 184_320,
  uploadedAt: "2026-11-20T16:25:00+00:00",
};

export const submission: z.input<typeof CandidateSubmission> = {
  ...smallestSubmission,
  middleName: "King",
  headline: "Analyst of engines",
  summary: "Wrote the first published program, and the notes that explain it.",
  phone: "+44 20 7946 0000",
  dateOfBirth: "1985-12-10",
  nationality: "GB",
  address: { line1: "12 St James's Square", city: "London", postalCode: "SW1Y 4JH", country: "GB" },
  jobPreferences: {
    desiredTitles: ["Principal analyst"],
    employmentTypes: ["full_time", "contract"],
    preferredCountries: ["GB", "FR"],
    openToRemote: true,
    salaryExpectation: { currency: "GBP", min: 90_000, max: 110_000 },
  },
  source: { sourceChannel: "referral", submittedAt: "2026-11-20T16:30:00Z" },
  skills,
  workHistory: [position],
  education,
  languages,
  workEligibility: [{ country: "GB", status: "citizen" }],
  referees: [{ name: "Charles Babbage", relationship: "Colleague", email: "charles@example.org" }],
  tags: ["spring-campaign"],
  documents: [
    {
      documentType: "cv",
      currentVersion: 1,
      versions: [cv],
    },
  ],
  links: [{ type: "github", url: "https://github.com/ada" }],
  media: [{ kind: "profile_photo", assetKey: "photos/ext-1001.jpg" }],
  assessments: [
    {
      name: "Numerical reasoning",
      status: "completed",
      outcome: "pass",
      score: 98.5,
      maxScore: 100,
      reportUrl: "https://reports.example.com/r-77",
      completedAt: "2026-11-18T10:00:00Z",
    },
  ],
  consents: [
    { type: "data_processing", granted: true, grantedAt: "2026-11-20T16:20:00Z", policyVersion: "2026-01" },
  ],
};

export const handles = {
  stagedId: "staged_4g9v8z0d3m6n1p5q7r2s4t6w8x",
  id: "cand_4g9v8z0d3m6n1p5q7r2s4t6w8x",
};

export const receipt: CreateResponse = {
  stagedId: handles.stagedId,
  externalId: "ext-1001",
  status: "received",
  receivedAt: "2026-11-21T09:00:00.000Z",
};

export const batch: z.input<typeof CandidateBatch> = {
  candidates: [
    smallestSubmission,
    {
      externalId: "ext-1002",
      firstName: "Grace",
      lastName: "Hopper",
      email: "grace@example.com",
      countryOfResidence: "US",
      consentGiven: true,
    },
  ],
};

/** The results of a batch whose second row would be invalid. */
export const batchResponse: z.infer<typeof CandidateBatchResponse> = {
  results: [
    {
      externalId: "ext-1001",
      status: 201,
      stagedId: handles.stagedId,
      receivedAt: receipt.receivedAt,
      replayed: false,
    },
    {
      externalId: "ext-1002",
      status: 400,
      error: "invalid_request",
      message:
        "email: an ASCII e-mail address with a dot in its domain and at most 254 characters, 64 before the @, is expected",
    },
  ],
};

export const record: CandidateRecord = {
  id: handles.id,
  externalId: "ext-1001",
  firstName: "Ada",
  lastName: "Lovelace",
  middleName: "King",
  preferredName: null,
  headline: "Analyst of engines",
  summary: "Wrote the first published program, and the notes that explain it.",
  nationality: "GB",
  countryOfResidence: "GB",
  skills,
  workHistory: [{ ...position, description: null }],
  education,
  languages,
  workEligibility: [{ country: "GB", status: "citizen" }],
  jobPreferences: {
    desiredTitles: ["Principal analyst"],
    employmentTypes: ["full_time", "contract"],
    preferredCountries: ["GB", "FR"],
    openToRemote: true,
    salaryExpectation: { currency: "GBP", min: 90_000, max: 110_000, period: "annual" },
  },
  tags: ["spring-campaign"],
  documents: [
    {
      documentType: "cv",
      label: null,
      currentVersion: 1,
      versions: [{ ...cv, checksum: null, uploadedByExternalId: null }],
    },
  ],
  links: [{ type: "github", url: "https://github.com/ada" }],
  media: [{ kind: "profile_photo", assetKey: "photos/ext-1001.jpg", provider: "partner" }],
  assessments: [
    {
      provider: "partner",
      name: "Numerical reasoning",
      status: "completed",
      outcome: "pass",
      score: 98.5,
      maxScore: 100,
      competencies: [],
      reportUrl: "https://reports.example.com/r-77",
      completedAt: "2026-11-18T10:00:00Z",
    },
  ],
  status: "promoted",
  availabilityStatus: "available",
  verificationStatus: "verified",
  workReadinessScore: 87,
  updatedAt: "2026-11-21T09:04:00.000Z",
};

export const amendments: Readonly<
  Record<string, { readonly summary: string; readonly value: z.input<typeof CandidateAmendment> }>
> = {
  oneMember: { summary: "Change the headline", value: { headline: "Analyst and metaphysician" } },
  clear: { summary: "Clear the headline", value: { headline: null } },
  list: {
    summary: "Replace the whole list of skills",
    value: { skills: [{ name: "Analysis", yearsExperience: 13 }] },
  },
  withdraw: { summary: "Withdraw consent: access is frozen", value: { consentGiven: false } },
  restore: { summary: "Give consent again: access is restored", value: { consentGiven: true } },
};

/** Why intake rejected a candidate. */
export const reason: Reason = { code: "cv_unreadable", message: "The CV could not be opened." };
