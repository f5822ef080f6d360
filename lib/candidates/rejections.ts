import type { Rejection } from "#candidates/candidate";
import type { Reason } from "#contract/events";

/** The attribute of the last rejections with their reasons. */
export const REJECTIONS = "rejections";

/** How many failed validations a record keeps with their reasons. */
const KEPT = 10;

/** The rejections with one more, without those that are too old to be kept. */
export function withRejection(rejections: readonly Rejection[], rejection: Rejection): readonly Rejection[] {
  return [...rejections, rejection].slice(-KEPT);
}

/** Whether the reasons are the same, in whatever order, and however often each is given. */
export function areSameReasons(left: readonly Reason[], right: readonly Reason[]): boolean {
  return canonical(left) === canonical(right);
}

function canonical(reasons: readonly Reason[]): string {
  return JSON.stringify(
    [...new Set(reasons.map(({ code, message }) => JSON.stringify([code, message])))].sort(),
  );
}
