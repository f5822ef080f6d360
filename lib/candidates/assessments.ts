import type { Assessment } from "#contract/assessment";

/** The attribute of the assessments that the platform added or overrode. */
export const PLATFORM_ASSESSMENTS = "platformAssessments";

/** An assessment of the platform's: provider and `externalId` are its identity. */
export type PlatformAssessment = Assessment & { readonly externalId: string };

/** Whether an assessment has the identity of one of the platform's; without an `externalId` it has none. */
export function hasIdentityOf(entry: Assessment, { provider, externalId }: PlatformAssessment): boolean {
  return entry.externalId === externalId && entry.provider === provider;
}

/**
 * The assessments of a record: the partner's, then the platform's. The platform's domain is authoritative
 * (contract, "Assessment"), so a partner's entry with the identity of one of the platform's is left out.
 */
export function mergedAssessments(
  partner: readonly Assessment[],
  platform: readonly PlatformAssessment[],
): readonly Assessment[] {
  const partnerOnly = partner.filter((entry) => !platform.some((other) => hasIdentityOf(entry, other)));
  return [...partnerOnly, ...platform];
}

/** The platform's assessments with one more, or with it in the place of the one that it replaces. */
export function withAssessment(
  platform: readonly PlatformAssessment[],
  result: PlatformAssessment,
): readonly PlatformAssessment[] {
  const place = platform.findIndex((entry) => hasIdentityOf(entry, result));
  return place < 0 ? [...platform, result] : platform.with(place, result);
}
