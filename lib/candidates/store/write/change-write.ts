import type { Candidate } from "#candidates/candidate";
import type { Decision } from "#candidates/change";
import { type Handle, noSuchCandidate } from "#candidates/handles";
import { platform } from "#candidates/store/item/access";
import { type CandidateItem, type ReadCandidate, stateOf } from "#candidates/store/item/candidate-item";
import { candidateKey } from "#candidates/store/item/candidate-key";
import { changeUpdate } from "#candidates/store/write/change-update";
import type { ItemPut, ItemUpdate } from "#candidates/store/write/item-writes";
import { tombstonePut } from "#candidates/store/write/tombstone";
import { asUncertain, type Refused, WRITE_ATTEMPTS } from "#candidates/store/write/write-outcome";
import { newStamp, newWriteId, type WriteSources } from "#candidates/store/write/write-stamp";
import { ServiceUnavailable } from "#contract/errors";
import { optimisticRetry } from "#runtime/optimistic-retry";

/** The outcome of a change, with the candidate's standing after it. `unchanged`: there was nothing to change. */
export interface ChangeOutcome {
  readonly kind: "changed" | "unchanged";
  readonly candidate: Pick<Candidate, "digest" | "state">;
}

/** The write of a change: a put of a tombstone for an erasure, otherwise an update of the item. */
export type Step =
  | { readonly kind: "erasure"; readonly put: ItemPut }
  | { readonly kind: "update"; readonly update: ItemUpdate };

/**
 * A change in progress: what to write over each version that is read, and whether a refused change may be decided
 * again. Errors as `CandidateRepository.change`.
 */
export type ChangeWrite = ReturnType<typeof changeWrite>;

export function changeWrite(
  sources: WriteSources,
  orgId: string,
  handle: Handle,
  { reads, decide }: Decision,
) {
  const key = candidateKey(orgId, handle.digest);
  const writeId = newWriteId(sources);
  let life: number | undefined;
  let sequence: number | undefined;
  let mayBeDone = false;

  /** What to change in this version: decided anew each time, unless an earlier decision may have been carried out. */
  function decideOn({ item, candidate }: ReadCandidate) {
    life ??= item.firstSequence;
    if (item.firstSequence !== life) throw noSuchCandidate();
    const decided = decide(candidate);
    // This step may have been written and then followed by another, so it must not be repeated. No step follows an
    // erasure in the same life.
    const isStep = decided?.effect !== undefined && decided.effect.status !== "erased";
    if (mayBeDone && isStep && item.sequence !== sequence) throw new ServiceUnavailable();
    return decided;
  }

  return {
    key,
    handle,
    writeId,
    audience: platform(reads),
    retry: optimisticRetry(WRITE_ATTEMPTS, (error) => (mayBeDone ? asUncertain(error) : error)),
    /** The write that replaces the version read; undefined if nothing changes. */
    decide(seen: ReadCandidate): Step | undefined {
      const change = decideOn(seen);
      if (!change) return undefined;
      const stamp = newStamp(sources, writeId, seen.item.updatedAt);
      return change.effect?.status === "erased"
        ? { kind: "erasure", put: tombstonePut(key, seen.item, stamp) }
        : { kind: "update", update: changeUpdate(change, seen.candidate, stamp) };
    },
    /** Records that a write decided on this version was refused. */
    refusedBy({ kind }: Refused, seen: CandidateItem): void {
      mayBeDone ||= kind === "uncertain";
      sequence = seen.sequence;
    },
    /** The outcome of a change that has been written. */
    changedTo(item: CandidateItem): ChangeOutcome {
      return { kind: "changed", candidate: { digest: handle.digest, state: stateOf(item) } };
    },
  };
}
