import type { ConditionalCheckFailedException } from "@aws-sdk/client-dynamodb";
import { unmarshall } from "@aws-sdk/util-dynamodb";
import type { CandidateItem } from "#candidates/store/item/candidate-item";
import { parseCandidateItem } from "#candidates/store/item/parse-item";
import type { WriteStamp } from "#candidates/store/write/write-stamp";
import { InvalidRequest, PayloadTooLarge, PreconditionFailed, ServiceUnavailable } from "#contract/errors";

/**
 * The most attempts at a write that loses races against other writes of the same candidate. Attempts made after the
 * handover to the repository of large candidates count too.
 */
export const WRITE_ATTEMPTS = 20;

/**
 * The outcome of a conditional write. Each write carries a `writeId`, because the SDK repeats a request whose response
 * was lost. If the condition then fails on this write's own item, the write has succeeded.
 */
export type WriteOutcome = Done | Refused;

/** `ours`: an earlier request of this write succeeded. The item is as the write left it. */
export interface Done {
  readonly kind: "written" | "ours";
  readonly item: CandidateItem;
}

/**
 * - `refused`: nothing was written. Had an earlier request succeeded, the item would be this write's, or newer: every
 *   write of an item has a later `updatedAt`.
 * - `uncertain`: a request repeated by the SDK was refused, and the item is newer than the write: an earlier request
 *   may have succeeded, and others have written since.
 */
export interface Refused {
  readonly kind: "refused" | "uncertain";
  /** The item that refused the write; undefined if there is none. */
  readonly item: CandidateItem | undefined;
}

/** The result does not fit into one item. The repository of large candidates must write it. */
export interface TooLarge {
  readonly kind: "too large";
}

/** The attributes that identify a write, among those that it sets. */
export type Written = Pick<WriteStamp, "writeId" | "updatedAt">;

/** Whether the write has succeeded, and the item is as it left it. */
export function isDone(outcome: WriteOutcome): outcome is Done {
  return outcome.kind === "written" || outcome.kind === "ours";
}

/** The outcome of a write whose condition failed. */
export function outcomeOf(
  { Item, $metadata }: ConditionalCheckFailedException,
  { writeId, updatedAt }: Written,
): WriteOutcome {
  const item = Item && parseCandidateItem(unmarshall(Item));
  if (item?.writeId === writeId) return { kind: "ours", item };
  const isRepeated = ($metadata.attempts ?? 1) > 1;
  return { kind: isRepeated && item && item.updatedAt > updatedAt ? "uncertain" : "refused", item };
}

/** The errors that would mean that nothing was written. */
const REFUSALS = [InvalidRequest, PayloadTooLarge, PreconditionFailed];

/** The error to throw for a write that may have succeeded. An error that would mean that it failed becomes a 503. */
export function asUncertain(error: unknown): unknown {
  const isRefusal = REFUSALS.some((refusal) => error instanceof refusal);
  return isRefusal ? new ServiceUnavailable({ cause: error }) : error;
}
