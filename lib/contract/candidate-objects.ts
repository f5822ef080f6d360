import * as z from "zod/mini";
import { fileSize } from "#contract/document";
import { isAbsent, rule } from "#contract/rule";
import {
  boolean,
  countryCode,
  currencyCode,
  email,
  fullDate,
  integer,
  list,
  nullableBoolean,
  nullableDateTime,
  nullableFullDate,
  nullableInteger,
  nullableNumber,
  nullableText,
  nullableUri,
  number,
  object,
  oneOf,
  shortText,
  text,
  uri,
} from "#contract/values";

export const EmploymentType = oneOf([
  "full_time",
  "part_time",
  "contract",
  "temporary",
  "internship",
  "apprenticeship",
  "casual",
  "volunteer",
]);

export const Address = object({
  line1: z.optional(shortText(200)),
  line2: z.optional(nullableText(200)),
  city: z.optional(shortText(120)),
  region: z.optional(nullableText(120)),
  postalCode: z.optional(nullableText(32)),
  country: countryCode(),
});

export const SalaryExpectation = object({
  currency: currencyCode(),
  min: z.optional(nullableNumber(0)),
  max: z.optional(nullableNumber(0)),
  period: z._default(oneOf(["hourly", "daily", "weekly", "monthly", "annual"]), "annual"),
});

export const JobPreferences = object({
  desiredTitles: z._default(list(shortText(200), 20), []),
  employmentTypes: z._default(list(EmploymentType, 8), []),
  preferredCountries: z._default(list(countryCode(), 30), []),
  openToRelocation: z.optional(nullableBoolean()),
  openToRemote: z.optional(nullableBoolean()),
  salaryExpectation: z.optional(SalaryExpectation),
});
export type JobPreferences = z.infer<typeof JobPreferences>;

export const Source = object({
  provider: z._default(shortText(60), "partner"),
  sourceChannel: z.optional(nullableText(120)),
  campaign: z.optional(nullableText(120)),
  submittedAt: z.optional(nullableDateTime()),
});

export const Skill = object({
  name: text(1, 120),
  yearsExperience: number(0, 60),
  proficiency: z.optional(oneOf(["beginner", "intermediate", "advanced", "expert"])),
  lastUsedYear: z.optional(integer(1950, 2100)),
});
export type Skill = z.infer<typeof Skill>;

export const WorkHistoryItem = object({
  employer: text(1, 200),
  jobTitle: text(1, 200),
  employmentType: z.optional(EmploymentType),
  startDate: fullDate(),
  endDate: z.optional(nullableFullDate()),
  isCurrent: z._default(boolean(), false),
  location: z.optional(nullableText(200)),
  description: z.optional(nullableText(4000)),
});
export type WorkHistoryItem = z.infer<typeof WorkHistoryItem>;

export const EducationItem = object({
  institution: text(1, 200),
  qualification: z.optional(nullableText(200)),
  fieldOfStudy: z.optional(nullableText(200)),
  completionStatus: z.optional(oneOf(["completed", "in_progress", "incomplete", "expected"])),
  startDate: z.optional(nullableFullDate()),
  endDate: z.optional(nullableFullDate()),
  grade: z.optional(nullableText(60)),
});
export type EducationItem = z.infer<typeof EducationItem>;

export const LanguageItem = object({
  language: text(2, 60),
  proficiency: oneOf(["basic", "conversational", "professional", "fluent", "native"]),
});
export type LanguageItem = z.infer<typeof LanguageItem>;

export const WorkEligibilityItem = object({
  country: countryCode(),
  status: oneOf([
    "citizen",
    "permanent_resident",
    "work_visa",
    "requires_sponsorship",
    "student_visa",
    "not_eligible",
    "unknown",
  ]),
  visaType: z.optional(nullableText(120)),
  expiresAt: z.optional(nullableFullDate()),
});
export type WorkEligibilityItem = z.infer<typeof WorkEligibilityItem>;

export const Referee = object({
  name: text(1, 200),
  relationship: z.optional(nullableText(120)),
  company: z.optional(nullableText(200)),
  email: z.optional(z.nullable(email(", or null,"))),
  phone: z.optional(nullableText(32)),
});

export const Link = object({
  type: oneOf(["linkedin", "github", "portfolio", "twitter", "website", "other"]),
  url: uri(),
  label: z.optional(nullableText(120)),
});
export type Link = z.infer<typeof Link>;

export const MediaItem = object(
  {
    kind: oneOf(["profile_photo", "intro_video", "portfolio_image", "portfolio_video", "audio", "other"]),
    assetKey: z.optional(nullableText(512)),
    provider: z._default(oneOf(["partner", "platform"]), "partner"),
    url: z.optional(nullableUri()),
    contentType: z.optional(nullableText(127)),
    fileName: z.optional(nullableText(255)),
    sizeBytes: z.optional(fileSize()),
    durationSeconds: z.optional(nullableNumber(0)),
    width: z.optional(nullableInteger(0)),
    height: z.optional(nullableInteger(0)),
    caption: z.optional(nullableText(500)),
    uploadedAt: z.optional(nullableDateTime()),
  },
  rule(
    (item) => isAbsent(item.assetKey) !== isAbsent(item.url),
    "exactly one of assetKey (with provider) or url is expected",
  ),
);
export type MediaItem = z.infer<typeof MediaItem>;

export const Consent = object({
  type: oneOf(["data_processing", "marketing", "background_check", "data_sharing_partners"]),
  granted: boolean(),
  grantedAt: z.optional(nullableDateTime()),
  policyVersion: z.optional(nullableText(40)),
});
