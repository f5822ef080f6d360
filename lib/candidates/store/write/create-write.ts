import { handleOf, stagedIdOf } from "#candidates/handles";
import { received } from "#candidates/lifecycle";
import { type CandidateItem, packMembers } from "#candidates/store/item/candidate-item";
import { candidateKey } from "#candidates/store/item/candidate-key";
import { assertKnownVersion, ITEM_VERSION } from "#candidates/store/item/item-version";
import { newOutboxEvent } from "#candidates/store/item/outbox-event";
import type { Layout } from "#candidates/store/write/guarded-update";
import type { ItemPut } from "#candidates/store/write/item-writes";
import { isDone, WRITE_ATTEMPTS, type WriteOutcome } from "#candidates/store/write/write-outcome";
import { newStamp, newWriteId, type WriteSources } from "#candidates/store/write/write-stamp";
import type { CandidateSubmission, CreateResponse } from "#contract/candidate-submission";
import { ServiceUnavailable } from "#contract/errors";
import type { Organisation } from "#contract/organisation";
import { LOST, optimisticRetry } from "#runtime/optimistic-retry";

/** The outcome of a create. The response of a replay is that of the create that made the candidate. */
export interface Receipt {
  readonly kind: "created" | "replayed";
  readonly response: CreateResponse;
}

/**
 * A create in progress: its next put, and how it continues after a refused one. Errors as
 * `CandidateRepository.receive`.
 */
export type CreateWrite = ReturnType<typeof createWrite>;

export function createWrite(
  sources: WriteSources,
  organisation: Organisation,
  submission: CandidateSubmission,
) {
  const { digest } = handleOf(organisation, submission.externalId);
  const ids = { stagedId: stagedIdOf(digest), externalId: submission.externalId };
  const key = candidateKey(organisation.orgId, digest);
  const writeId = newWriteId(sources);
  const packed = packMembers(submission);
  /** The tombstone that the put replaces. */
  let present: CandidateItem | undefined;
  /** Records the item that is there, for the next put. Returns its receipt, unless it is a tombstone. */
  function see(item: CandidateItem | undefined): Receipt | undefined {
    if (item) assertKnownVersion(item);
    present = item;
    if (!item || item.status === "erased") return undefined;
    return { kind: "replayed", response: responseOf(ids, item) };
  }

  return {
    key,
    writeId,
    packed,
    retry: optimisticRetry(WRITE_ATTEMPTS),
    /** The next put. If it replaces a tombstone, it begins a new life, whose events continue the sequence. */
    next({ references, large }: Layout): ItemPut {
      const stamp = newStamp(sources, writeId, present?.updatedAt);
      const sequence = (present?.sequence ?? 0) + 1;
      const { event, ...statuses } = received;
      const item = {
        ...key,
        ...packed.attributes,
        ...references,
        ...(large && { large }),
        itemVersion: ITEM_VERSION,
        ...statuses,
        receivedAt: stamp.updatedAt,
        updatedAt: stamp.updatedAt,
        writeId,
        event: newOutboxEvent(event, stamp),
        sequence,
        firstSequence: sequence,
      };
      return { item, ...(present && { seen: ["writeId", present.writeId] }) };
    },
    see,
    /** The receipt that results from a put. */
    receiptOf(outcome: WriteOutcome, { item: { receivedAt } }: ItemPut): Receipt | typeof LOST {
      const { kind, item } = outcome;
      // `receivedAt` identifies this create's own put, if its response was lost and others have written since.
      const isOwn = isDone(outcome) || (kind === "uncertain" && item?.receivedAt === receivedAt);
      if (item && isOwn) return { kind: "created", response: responseOf(ids, item) };
      const replay = see(item);
      // This create's put may have succeeded, and the candidate been erased since. It must not be created again.
      if (kind === "uncertain" && !replay) throw new ServiceUnavailable();
      return replay ?? LOST;
    },
  };
}

type Ids = Pick<CreateResponse, "stagedId" | "externalId">;

function responseOf(ids: Ids, { receivedAt }: CandidateItem): CreateResponse {
  return { ...ids, status: "received", receivedAt };
}
