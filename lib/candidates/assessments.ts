import type { Assessment } from "#contract/candidate-submission";

type Identified = Pick<Assessment, "provider" | "externalId">;

/** Whether two assessments are the same result: of one provider, with one `externalId`. */
export function isSameAssessment(left: Identified, right: Identified): boolean {
  return (
    typeof left.externalId === "string" &&
    left.externalId === right.externalId &&
    left.provider === right.provider
  );
}

/**
 * The assessments of a record: the partner's, then the platform's. The platform's domain is authoritative
 * (contract, "Assessment"), so a partner's entry with the identity of one of the platform's is left out.
 */
export function mergedAssessments(
  partner: readonly Assessment[],
  platform: readonly Assessment[],
): readonly Assessment[] {
  const partnerOnly = partner.filter((entry) => !platform.some((other) => isSameAssessment(entry, other)));
  return [...partnerOnly, ...platform];
}

/** The platform's assessments with one more, or with it in the place of the one that it replaces. */
export function withAssessment(platform: readonly Assessment[], result: Assessment): readonly Assessment[] {
  const place = platform.findIndex((entry) => isSameAssessment(entry, result));
  return place < 0 ? [...platform, result] : platform.with(place, result);
}
