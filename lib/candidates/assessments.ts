import type { PlatformAssessment } from "#candidates/candidate-commands";
import type { Assessment } from "#contract/assessment";

/** The attribute of the assessments that the platform added or overrode. */
export const PLATFORM_ASSESSMENTS = "platformAssessments";

/** Whether an assessment has the same identity as one of the platform's. One without an `externalId` never does. */
export function hasIdentityOf(entry: Assessment, { provider, externalId }: PlatformAssessment): boolean {
  return entry.externalId === externalId && entry.provider === provider;
}

/**
 * The assessments of a record: the partner's, then the platform's. The platform is authoritative (contract,
 * "Assessment"), so a partner's entry with the same identity as a platform entry is left out.
 */
export function mergedAssessments(
  partner: readonly Assessment[],
  platform: readonly PlatformAssessment[],
): readonly Assessment[] {
  const partnerOnly = partner.filter((entry) => !platform.some((other) => hasIdentityOf(entry, other)));
  return [...partnerOnly, ...platform];
}

/** The platform's assessments with one added, or replaced if one with the same identity exists. */
export function withAssessment(
  platform: readonly PlatformAssessment[],
  result: PlatformAssessment,
): readonly PlatformAssessment[] {
  const place = platform.findIndex((entry) => hasIdentityOf(entry, result));
  return place < 0 ? [...platform, result] : platform.with(place, result);
}
