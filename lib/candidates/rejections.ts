import type { Rejection } from "#candidates/candidate-commands";
import type { Reason } from "#contract/reason";

/** The attribute that holds the latest rejections with their reasons. */
export const REJECTIONS = "rejections";

/** The number of failed validations that a record keeps with their reasons. */
const KEPT = 10;

/** The latest rejections after one is added. */
export function withRejection(rejections: readonly Rejection[], rejection: Rejection): readonly Rejection[] {
  return [...rejections, rejection].slice(-KEPT);
}

/** Whether the reasons are the same, regardless of order and repetition. */
export function areSameReasons(left: readonly Reason[], right: readonly Reason[]): boolean {
  return canonical(left) === canonical(right);
}

function canonical(reasons: readonly Reason[]): string {
  return JSON.stringify(
    [...new Set(reasons.map(({ code, message }) => JSON.stringify([code, message])))].sort(),
  );
}
