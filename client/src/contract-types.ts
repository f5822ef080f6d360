// Made from the schemas in lib/contract by `npm run client`: change those.

export interface Skill {
  name: string;
  yearsExperience: number;
  proficiency?: ("beginner" | "intermediate" | "advanced" | "expert") | undefined;
  lastUsedYear?: number | undefined;
}

export interface WorkHistoryItem {
  employer: string;
  jobTitle: string;
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
  startDate: string;
  endDate?: string | null | undefined;
  isCurrent?: boolean | undefined;
  location?: string | null | undefined;
  description?: string | null | undefined;
}

export interface EducationItem {
  institution: string;
  qualification?: string | null | undefined;
  fieldOfStudy?: string | null | undefined;
  completionStatus?: ("completed" | "in_progress" | "incomplete" | "expected") | undefined;
  startDate?: string | null | undefined;
  endDate?: string | null | undefined;
  grade?: string | null | undefined;
}

export interface LanguageItem {
  language: string;
  proficiency: "basic" | "conversational" | "professional" | "fluent" | "native";
}

export interface WorkEligibilityItem {
  country: string;
  status:
    | "citizen"
    | "permanent_resident"
    | "work_visa"
    | "requires_sponsorship"
    | "student_visa"
    | "not_eligible"
    | "unknown";
  visaType?: string | null | undefined;
  expiresAt?: string | null | undefined;
}

export interface DocumentVersion {
  version: number;
  url: string;
  fileName?: string | null | undefined;
  contentType?: string | null | undefined;
  sizeBytes?: number | null | undefined;
  uploadedAt: string;
  checksum?: string | null | undefined;
  uploadedByExternalId?: string | null | undefined;
}

export interface Document {
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
  label?: string | null | undefined;
  currentVersion: number;
  /**
   * @minItems 1
   * @maxItems 50
   */
  versions: DocumentVersion[];
}

export interface Link {
  type: "linkedin" | "github" | "portfolio" | "twitter" | "website" | "other";
  url: string;
  label?: string | null | undefined;
}

export interface MediaItem {
  kind: "profile_photo" | "intro_video" | "portfolio_image" | "portfolio_video" | "audio" | "other";
  assetKey?: string | null | undefined;
  provider?: ("partner" | "platform") | undefined;
  url?: string | null | undefined;
  contentType?: string | null | undefined;
  fileName?: string | null | undefined;
  sizeBytes?: number | null | undefined;
  durationSeconds?: number | null | undefined;
  width?: number | null | undefined;
  height?: number | null | undefined;
  caption?: string | null | undefined;
  uploadedAt?: string | null | undefined;
}

export interface Competency {
  code: string;
  label?: string | null | undefined;
  score?: number | null | undefined;
}

export interface Assessment {
  externalId?: string | null | undefined;
  provider?: ("proctor" | "partner" | "other") | undefined;
  name: string;
  status: "scheduled" | "in_progress" | "completed" | "expired" | "cancelled";
  outcome?: ("pass" | "fail" | "inconclusive") | undefined;
  score?: number | null | undefined;
  maxScore?: number | null | undefined;
  scoreBand?: string | null | undefined;
  competencies?: Competency[] | undefined;
  reportKey?: string | null | undefined;
  reportUrl?: string | null | undefined;
  completedAt?: string | null | undefined;
  expiresAt?: string | null | undefined;
}

export interface SalaryExpectation {
  currency: string;
  min?: number | null | undefined;
  max?: number | null | undefined;
  period?: ("hourly" | "daily" | "weekly" | "monthly" | "annual") | undefined;
}

export interface JobPreferences {
  desiredTitles?: string[] | undefined;
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
  preferredCountries?: string[] | undefined;
  openToRelocation?: (boolean | null) | undefined;
  openToRemote?: (boolean | null) | undefined;
  salaryExpectation?: SalaryExpectation | undefined;
}

export interface CandidateSubmission {
  externalId: string;
  firstName: string;
  middleName?: string | null | undefined;
  preferredName?: string | null | undefined;
  lastName: string;
  headline?: string | null | undefined;
  summary?: string | null | undefined;
  email: string;
  phone?: string | undefined;
  dateOfBirth?: string | undefined;
  gender?: ("male" | "female" | "non_binary" | "prefer_not_to_say" | "other") | undefined;
  nationality?: string | undefined;
  countryOfResidence: string;
  consentGiven: true;
  address?:
    | {
        line1?: string | undefined;
        line2?: string | null | undefined;
        city?: string | undefined;
        region?: string | null | undefined;
        postalCode?: string | null | undefined;
        country: string;
      }
    | undefined;
  jobPreferences?: JobPreferences | undefined;
  source?:
    | {
        provider?: string | undefined;
        sourceChannel?: string | null | undefined;
        campaign?: string | null | undefined;
        submittedAt?: string | null | undefined;
      }
    | undefined;
  skills?: Skill[] | undefined;
  workHistory?: WorkHistoryItem[] | undefined;
  education?: EducationItem[] | undefined;
  languages?: LanguageItem[] | undefined;
  workEligibility?: WorkEligibilityItem[] | undefined;
  referees?:
    | {
        name: string;
        relationship?: string | null | undefined;
        company?: string | null | undefined;
        email?: string | null | undefined;
        phone?: string | null | undefined;
      }[]
    | undefined;
  tags?: string[] | undefined;
  documents?: Document[] | undefined;
  links?: Link[] | undefined;
  media?: MediaItem[] | undefined;
  assessments?: Assessment[] | undefined;
  consents?:
    | {
        type: "data_processing" | "marketing" | "background_check" | "data_sharing_partners";
        granted: boolean;
        grantedAt?: string | null | undefined;
        policyVersion?: string | null | undefined;
      }[]
    | undefined;
}

export interface CandidateAmendment {
  firstName?: string | undefined;
  middleName?: string | null | undefined;
  preferredName?: string | null | undefined;
  lastName?: string | undefined;
  headline?: string | null | undefined;
  summary?: string | null | undefined;
  phone?: string | undefined;
  consentGiven?: boolean | undefined;
  address?:
    | {
        line1?: string | undefined;
        line2?: string | null | undefined;
        city?: string | undefined;
        region?: string | null | undefined;
        postalCode?: string | null | undefined;
        country: string;
      }
    | undefined;
  jobPreferences?: JobPreferences | undefined;
  skills?: Skill[] | undefined;
  workHistory?: WorkHistoryItem[] | undefined;
  education?: EducationItem[] | undefined;
  languages?: LanguageItem[] | undefined;
  workEligibility?: WorkEligibilityItem[] | undefined;
  documents?: Document[] | undefined;
  links?: Link[] | undefined;
  media?: MediaItem[] | undefined;
  assessments?: Assessment[] | undefined;
  consents?:
    | {
        type: "data_processing" | "marketing" | "background_check" | "data_sharing_partners";
        granted: boolean;
        grantedAt?: string | null | undefined;
        policyVersion?: string | null | undefined;
      }[]
    | undefined;
}

export interface WebhookEndpointRegistration {
  url: string;
  /**
   * @minItems 1
   */
  eventTypes: (
    | "candidate.received"
    | "candidate.verified"
    | "candidate.promoted"
    | "candidate.validation_failed"
    | "candidate.consent_revoked"
    | "candidate.erased"
  )[];
  description?: string | null | undefined;
}

export interface WebhookEndpointUpdate {
  url?: string | undefined;
  eventTypes?:
    | (
        | "candidate.received"
        | "candidate.verified"
        | "candidate.promoted"
        | "candidate.validation_failed"
        | "candidate.consent_revoked"
        | "candidate.erased"
      )[]
    | undefined;
  description?: string | null | undefined;
  active?: boolean | undefined;
}

export type CandidateStatus = "received" | "validation_failed" | "verified" | "promoted" | "consent_revoked";

export type VerificationStatus = "in_review" | "verified";

export type AvailabilityStatus = "pending" | "available";

export interface CreateResponse {
  stagedId: string;
  externalId: string;
  status: "received";
  receivedAt: string;
}

export interface CandidateRecord {
  id: string;
  externalId: string;
  firstName: string;
  lastName: string;
  middleName: string | null;
  preferredName: string | null;
  headline: string | null;
  summary: string | null;
  nationality?: string | undefined;
  countryOfResidence: string;
  skills: {
    name: string;
    yearsExperience: number;
    proficiency?: ("beginner" | "intermediate" | "advanced" | "expert") | undefined;
    lastUsedYear?: number | undefined;
  }[];
  workHistory: {
    employer: string;
    jobTitle: string;
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
    startDate: string;
    endDate: string | null;
    isCurrent: boolean;
    location: string | null;
    description: string | null;
  }[];
  education: {
    institution: string;
    qualification?: string | null | undefined;
    fieldOfStudy?: string | null | undefined;
    completionStatus?: ("completed" | "in_progress" | "incomplete" | "expected") | undefined;
    startDate?: string | null | undefined;
    endDate?: string | null | undefined;
    grade?: string | null | undefined;
  }[];
  languages: {
    language: string;
    proficiency: "basic" | "conversational" | "professional" | "fluent" | "native";
  }[];
  workEligibility: {
    country: string;
    status:
      | "citizen"
      | "permanent_resident"
      | "work_visa"
      | "requires_sponsorship"
      | "student_visa"
      | "not_eligible"
      | "unknown";
    visaType?: string | null | undefined;
    expiresAt?: string | null | undefined;
  }[];
  jobPreferences: {
    desiredTitles: string[];
    /**
     * @maxItems 8
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
    preferredCountries: string[];
    openToRelocation?: (boolean | null) | undefined;
    openToRemote?: (boolean | null) | undefined;
    salaryExpectation?:
      | {
          currency: string;
          min?: number | null | undefined;
          max?: number | null | undefined;
          period: "hourly" | "daily" | "weekly" | "monthly" | "annual";
        }
      | undefined;
  };
  tags: string[];
  documents: {
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
    label: string | null;
    currentVersion: number;
    versions: {
      version: number;
      url: string;
      fileName: string | null;
      contentType: string | null;
      sizeBytes: number | null;
      uploadedAt: string;
      checksum: string | null;
      uploadedByExternalId: string | null;
    }[];
  }[];
  links: {
    type: "linkedin" | "github" | "portfolio" | "twitter" | "website" | "other";
    url: string;
    label?: string | null | undefined;
  }[];
  media: {
    kind: "profile_photo" | "intro_video" | "portfolio_image" | "portfolio_video" | "audio" | "other";
    assetKey?: string | null | undefined;
    provider: "partner" | "platform";
    url?: string | null | undefined;
    contentType?: string | null | undefined;
    fileName?: string | null | undefined;
    sizeBytes?: number | null | undefined;
    durationSeconds?: number | null | undefined;
    width?: number | null | undefined;
    height?: number | null | undefined;
    caption?: string | null | undefined;
    uploadedAt?: string | null | undefined;
  }[];
  assessments: {
    externalId?: string | null | undefined;
    provider: "proctor" | "partner" | "other";
    name: string;
    status: "scheduled" | "in_progress" | "completed" | "expired" | "cancelled";
    outcome?: ("pass" | "fail" | "inconclusive") | undefined;
    score?: number | null | undefined;
    maxScore?: number | null | undefined;
    scoreBand?: string | null | undefined;
    competencies: {
      code: string;
      label?: string | null | undefined;
      score?: number | null | undefined;
    }[];
    reportKey?: string | null | undefined;
    reportUrl?: string | null | undefined;
    completedAt?: string | null | undefined;
    expiresAt?: string | null | undefined;
  }[];
  status: CandidateStatus;
  availabilityStatus: AvailabilityStatus;
  verificationStatus: VerificationStatus;
  workReadinessScore: number | null;
  updatedAt: string;
}

export type EventType =
  | "candidate.received"
  | "candidate.verified"
  | "candidate.promoted"
  | "candidate.validation_failed"
  | "candidate.consent_revoked"
  | "candidate.erased";

export interface WebhookEndpoint {
  id: string;
  url: string;
  eventTypes: EventType[];
  active: boolean;
  createdAt: string;
  description: string | null;
}

export interface CreatedWebhookEndpoint {
  id: string;
  url: string;
  eventTypes: EventType[];
  active: boolean;
  createdAt: string;
  description: string | null;
  signingSecret: string;
}

export interface RotatedWebhookEndpoint {
  id: string;
  url: string;
  eventTypes: EventType[];
  active: boolean;
  createdAt: string;
  description: string | null;
  signingSecret: string;
  previousSecretExpiresAt: string;
}

export interface Reason {
  code: string;
  message: string;
}

export type WebhookEvent =
  | {
      id: string;
      type: "candidate.received" | "candidate.verified" | "candidate.promoted" | "candidate.consent_revoked";
      apiVersion: "1.2.0";
      occurredAt: string;
      sequence: number;
      sample?: true | undefined;
      data: {
        stagedId: string;
        id: string | null;
        externalId: string;
        status: CandidateStatus;
        verificationStatus: VerificationStatus;
        availabilityStatus: AvailabilityStatus;
      };
    }
  | {
      id: string;
      type: "candidate.validation_failed";
      apiVersion: "1.2.0";
      occurredAt: string;
      sequence: number;
      sample?: true | undefined;
      data: {
        stagedId: string;
        id: string | null;
        externalId: string;
        status: CandidateStatus;
        verificationStatus: VerificationStatus;
        availabilityStatus: AvailabilityStatus;
        reasons: Reason[];
      };
    }
  | {
      id: string;
      type: "candidate.erased";
      apiVersion: "1.2.0";
      occurredAt: string;
      sequence: number;
      sample?: true | undefined;
      data: {
        stagedId: string;
        id: string | null;
        status: "erased";
      };
    };

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
  | "timeout";
