import { randomBytes, randomUUID } from "node:crypto";
import type * as z from "zod/mini";
import type { CandidateAmendment, CandidateSubmission } from "#contract/candidate-submission";

/** What a caller may send to create: defaults not yet filled in. */
export type SubmissionBody = z.input<typeof CandidateSubmission>;

/** What a caller may send to amend. */
export type AmendmentBody = z.input<typeof CandidateAmendment>;

/** An `externalId` that no other test uses, so that tests share a stack and a run can be repeated. */
export function anExternalId(): string {
  return `ext-${randomUUID()}`;
}

/** The least that create accepts. */
export function aSubmission(overrides: Partial<SubmissionBody> = {}): SubmissionBody {
  return {
    externalId: anExternalId(),
    firstName: "Adelaide",
    lastName: "Lovelace",
    email: "ada@example.com",
    countryOfResidence: "GB",
    consentGiven: true,
    ...overrides,
  };
}

/** A submission in which every member of the contract has a value, at every depth. */
export function aFullSubmission(overrides: Partial<SubmissionBody> = {}): SubmissionBody {
  return aSubmission({
    middleName: "Augusta",
    preferredName: "Countess",
    headline: "Analyst of engines",
    summary: "Wrote the first program.",
    phone: "+44 20 7946 0000",
    dateOfBirth: "1985-12-10",
    gender: "female",
    nationality: "GB",
    address: {
      line1: "12 St James's Square",
      line2: "Second floor",
      city: "London",
      region: "Greater London",
      postalCode: "SW1Y 4JH",
      country: "GB",
    },
    jobPreferences: {
      desiredTitles: ["Programmer"],
      employmentTypes: ["full_time"],
      preferredCountries: ["GB"],
      openToRelocation: true,
      openToRemote: false,
      salaryExpectation: { currency: "GBP", min: 60_250.75, max: 80_000.5, period: "monthly" },
    },
    source: {
      provider: "upstream",
      sourceChannel: "referral",
      campaign: "spring",
      submittedAt: "2026-03-01T09:00:00Z",
    },
    skills: [{ name: "Mathematics", yearsExperience: 12.5, proficiency: "expert", lastUsedYear: 2025 }],
    workHistory: [
      {
        employer: "Analytical Engines Ltd",
        jobTitle: "Programmer",
        employmentType: "contract",
        startDate: "2015-01-31",
        endDate: "2020-02-29",
        isCurrent: true,
        location: "London",
        description: "Notes A to G.",
      },
    ],
    education: [
      {
        institution: "Taught at home",
        qualification: "None that counts",
        fieldOfStudy: "Mathematics",
        completionStatus: "completed",
        startDate: "2003-09-01",
        endDate: "2006-06-30",
        grade: "With distinction",
      },
    ],
    languages: [{ language: "English", proficiency: "native" }],
    workEligibility: [
      { country: "GB", status: "work_visa", visaType: "Skilled Worker", expiresAt: "2030-12-31" },
    ],
    referees: [
      {
        name: "Charles Babbage",
        relationship: "Colleague",
        company: "Royal Society",
        email: "charles@example.org",
        phone: "+44 20 7946 0001",
      },
    ],
    tags: ["pioneer"],
    documents: [
      {
        documentType: "cv",
        label: "Curriculum vitae",
        currentVersion: 2,
        versions: [
          {
            version: 2,
            url: "s3://documents/cv-2.pdf",
            fileName: "cv.pdf",
            contentType: "application/pdf",
            sizeBytes: 123_456,
            uploadedAt: "2026-02-01T10:00:00.123456+02:00",
            checksum: "sha256:abc",
            uploadedByExternalId: "recruiter-7",
          },
        ],
      },
    ],
    links: [{ type: "github", url: "https://github.com/ada?tab=repositories#top", label: "Source code" }],
    media: [
      {
        kind: "intro_video",
        assetKey: "assets/intro.mp4",
        provider: "platform",
        contentType: "video/mp4",
        fileName: "intro.mp4",
        sizeBytes: 1_048_576,
        durationSeconds: 59.94,
        width: 1920,
        height: 1080,
        caption: "Hello there",
        uploadedAt: "2026-02-01T10:00:00Z",
      },
      { kind: "profile_photo", url: "https://images.example.com/ada.jpg" },
    ],
    assessments: [
      {
        externalId: "result-1",
        provider: "proctor",
        name: "Reasoning",
        status: "completed",
        outcome: "pass",
        score: 98.5,
        maxScore: 100,
        scoreBand: "Band A",
        competencies: [{ code: "LOGIC-1", label: "Logical thinking", score: 99 }],
        reportKey: "reports/1",
        completedAt: "2026-02-02T10:00:00Z",
        expiresAt: "2028-02-02T10:00:00-05:00",
      },
      { name: "Typing", status: "completed", reportUrl: "https://reports.example.com/2" },
    ],
    consents: [
      {
        type: "data_processing",
        granted: true,
        grantedAt: "2026-01-01T00:00:00Z",
        policyVersion: "policy-2026-01",
      },
    ],
    ...overrides,
  });
}

type BodyOf<Member extends keyof SubmissionBody> =
  NonNullable<SubmissionBody[Member]> extends (infer Item)[] ? Item : never;

/** A document of the given type with one version. */
export function aDocument(overrides: Partial<BodyOf<"documents">> = {}): BodyOf<"documents"> {
  return {
    documentType: "cv",
    currentVersion: 1,
    versions: [{ version: 1, url: "https://files.example.com/1", uploadedAt: "2026-01-01T00:00:00Z" }],
    ...overrides,
  };
}

/** Text of so many characters that no codec makes much smaller. */
export function noise(length: number): string {
  return randomBytes(length).toString("base64url").slice(0, length);
}

/** Documents with so many bytes of {@link noise}, in URLs as long as they may be: 5 MB at most. */
export function documentsOf(bytes: number): BodyOf<"documents">[] {
  const urls = Array.from({ length: Math.ceil(bytes / 2_048) }, () => `https://${noise(2_040)}`);
  return Array.from({ length: Math.ceil(urls.length / 50) }, (_, document) =>
    aDocument({
      versions: urls.slice(document * 50, (document + 1) * 50).map((url, index) => ({
        version: index + 1,
        url,
        uploadedAt: "2026-01-01T00:00:00Z",
      })),
    }),
  );
}

/** Assessments that take up 2.4 MB of a response, but little of an item. */
export function assessmentsAlike() {
  const label = "\u{1F600}".repeat(110);
  const competencies = Array.from({ length: 100 }, () => ({ code: "LOGIC", label }));
  return Array.from({ length: 50 }, () => ({
    provider: "partner" as const,
    name: "Reasoning",
    status: "completed" as const,
    competencies,
  }));
}

/** Positions whose descriptions hardly compress, of so many bytes together. */
export function aHistoryOf(bytes: number) {
  return Array.from({ length: 40 }, () => ({
    employer: "Analytical Engines",
    jobTitle: "Programmer",
    startDate: "2015-01-31",
    isCurrent: false,
    description: noise(bytes / 40),
  }));
}
