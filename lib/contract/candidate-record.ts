import * as z from "zod/mini";
import { Assessment, Competency } from "#contract/assessment";
import {
  EducationItem,
  EmploymentType,
  JobPreferences,
  LanguageItem,
  Link,
  MediaItem,
  SalaryExpectation,
  Skill,
  WorkEligibilityItem,
  WorkHistoryItem,
} from "#contract/candidate-objects";
import { AvailabilityStatus, CandidateStatus, VerificationStatus } from "#contract/candidate-status";
import { Document, DocumentVersion, fileSize } from "#contract/document";
import { nullableFullDate } from "#contract/values";

const nullableString = z.nullable(z.string());
const nullableNumber = z.nullable(z.number());

/**
 * The document types that readers may see (contract, "Document"). This is an allowlist: a type added to the
 * submission stays hidden until it is added here too.
 */
export const SharedDocumentType = z.enum([
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
]);

/**
 * The safe projection (contract, "Candidate record"). Every object in it lists the members that are shared, like
 * the document types. Members added to the submission's object of the same name stay hidden.
 */
export const CandidateRecord = z.object({
  id: z.string(),
  externalId: z.string(),
  firstName: z.string(),
  lastName: z.string(),
  middleName: nullableString,
  preferredName: nullableString,
  headline: nullableString,
  summary: nullableString,
  nationality: z.optional(z.string()),
  countryOfResidence: z.string(),
  skills: z.array(
    z.object({
      name: Skill.shape.name,
      yearsExperience: Skill.shape.yearsExperience,
      proficiency: Skill.shape.proficiency,
      lastUsedYear: Skill.shape.lastUsedYear,
    }),
  ),
  workHistory: z.array(
    z.object({
      employer: WorkHistoryItem.shape.employer,
      jobTitle: WorkHistoryItem.shape.jobTitle,
      employmentType: WorkHistoryItem.shape.employmentType,
      startDate: WorkHistoryItem.shape.startDate,
      endDate: nullableFullDate(),
      isCurrent: z.boolean(),
      location: nullableString,
      description: nullableString,
    }),
  ),
  education: z.array(
    z.object({
      institution: EducationItem.shape.institution,
      qualification: EducationItem.shape.qualification,
      fieldOfStudy: EducationItem.shape.fieldOfStudy,
      completionStatus: EducationItem.shape.completionStatus,
      startDate: EducationItem.shape.startDate,
      endDate: EducationItem.shape.endDate,
      grade: EducationItem.shape.grade,
    }),
  ),
  languages: z.array(
    z.object({ language: LanguageItem.shape.language, proficiency: LanguageItem.shape.proficiency }),
  ),
  workEligibility: z.array(
    z.object({
      country: WorkEligibilityItem.shape.country,
      status: WorkEligibilityItem.shape.status,
      visaType: WorkEligibilityItem.shape.visaType,
      expiresAt: WorkEligibilityItem.shape.expiresAt,
    }),
  ),
  jobPreferences: z.object({
    desiredTitles: z.array(z.string()),
    employmentTypes: z.array(EmploymentType),
    preferredCountries: z.array(z.string()),
    openToRelocation: JobPreferences.shape.openToRelocation,
    openToRemote: JobPreferences.shape.openToRemote,
    salaryExpectation: z.optional(
      z.object({
        currency: SalaryExpectation.shape.currency,
        min: SalaryExpectation.shape.min,
        max: SalaryExpectation.shape.max,
        period: SalaryExpectation.shape.period,
      }),
    ),
  }),
  tags: z.array(z.string()),
  documents: z.array(
    z.object({
      documentType: SharedDocumentType,
      label: nullableString,
      currentVersion: Document.shape.currentVersion,
      versions: z.array(
        z.object({
          version: DocumentVersion.shape.version,
          url: DocumentVersion.shape.url,
          fileName: nullableString,
          contentType: nullableString,
          sizeBytes: fileSize(),
          uploadedAt: DocumentVersion.shape.uploadedAt,
          checksum: nullableString,
          uploadedByExternalId: nullableString,
        }),
      ),
    }),
  ),
  links: z.array(z.object({ type: Link.shape.type, url: Link.shape.url, label: Link.shape.label })),
  media: z.array(
    z.object({
      kind: MediaItem.shape.kind,
      assetKey: MediaItem.shape.assetKey,
      provider: MediaItem.shape.provider,
      url: MediaItem.shape.url,
      contentType: MediaItem.shape.contentType,
      fileName: MediaItem.shape.fileName,
      sizeBytes: MediaItem.shape.sizeBytes,
      durationSeconds: MediaItem.shape.durationSeconds,
      width: MediaItem.shape.width,
      height: MediaItem.shape.height,
      caption: MediaItem.shape.caption,
      uploadedAt: MediaItem.shape.uploadedAt,
    }),
  ),
  assessments: z.array(
    z.object({
      externalId: Assessment.shape.externalId,
      provider: Assessment.shape.provider,
      name: Assessment.shape.name,
      status: Assessment.shape.status,
      outcome: Assessment.shape.outcome,
      score: Assessment.shape.score,
      maxScore: Assessment.shape.maxScore,
      scoreBand: Assessment.shape.scoreBand,
      competencies: z.array(
        z.object({
          code: Competency.shape.code,
          label: Competency.shape.label,
          score: Competency.shape.score,
        }),
      ),
      reportKey: Assessment.shape.reportKey,
      reportUrl: Assessment.shape.reportUrl,
      completedAt: Assessment.shape.completedAt,
      expiresAt: Assessment.shape.expiresAt,
    }),
  ),
  status: CandidateStatus,
  availabilityStatus: AvailabilityStatus,
  verificationStatus: VerificationStatus,
  workReadinessScore: nullableNumber,
  updatedAt: z.string(),
});
export type CandidateRecord = z.infer<typeof CandidateRecord>;
