import type { ConditionalCheckFailedException } from "@aws-sdk/client-dynamodb";
import { unmarshall } from "@aws-sdk/util-dynamodb";
import type { WriteStamp } from "#candidates/lifecycle";
import type { CandidateItem } from "#candidates/store/item/candidate-item";
import { parseCandidateItem } from "#candidates/store/item/parse-item";
import { InvalidRequest, PreconditionFailed, ServiceUnavailable } from "#contract/errors";

/**
 * What a conditional write came to. Each write carries a `writeId`: the SDK repeats a request whose response was lost,
 * and a condition that then fails on the item's own last write has not been refused at all.
 */
export type WriteOutcome = Done | Refused;

/** `ours`: an earlier request of this write did it. The item is as the write made it. */
export interface Done {
  readonly kind: "written" | "ours";
  readonly item: CandidateItem;
}

/**
 * - `refused`: by the one request that was sent.
 * - `repeated`: by a request that the SDK repeated.
 * - `uncertain`: by one that it repeated, with an item later than the write: an earlier request may have done it, and
 *   others have written since.
 */
export interface Refused {
  readonly kind: "refused" | "repeated" | "uncertain";
  /** As it refused the write; undefined when there is none. */
  readonly item: CandidateItem | undefined;
}

/** The signal for the repository of large candidates: one item cannot hold the result. */
export interface TooLarge {
  readonly kind: "too large";
}

/** The attributes by which a write is known again, among those that it sets. */
export type Written = Pick<WriteStamp, "writeId" | "updatedAt">;

export function isDone(outcome: WriteOutcome): outcome is Done {
  return outcome.kind === "written" || outcome.kind === "ours";
}

/** What a write came to whose condition failed. */
export function outcomeOf(
  { Item, $metadata }: ConditionalCheckFailedException,
  { writeId, updatedAt }: Written,
): WriteOutcome {
  const item = Item && parseCandidateItem(unmarshall(Item));
  if (item?.writeId === writeId) return { kind: "ours", item };
  if (($metadata.attempts ?? 1) === 1) return { kind: "refused", item };
  return { kind: item && item.updatedAt > updatedAt ? "uncertain" : "repeated", item };
}

/** The error of a write that may have been done: none that denies it. */
export function undenied(error: unknown): unknown {
  const denies = error instanceof InvalidRequest || error instanceof PreconditionFailed;
  return denies ? new ServiceUnavailable({ cause: error }) : error;
}
