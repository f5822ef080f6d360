import { DynamoDBServiceException } from "@aws-sdk/client-dynamodb";
import type { DynamoDBDocumentClient } from "@aws-sdk/lib-dynamodb";
import type { Candidate } from "#candidates/candidate";
import type { Decision } from "#candidates/change";
import type { Handle } from "#candidates/handles";
import { integrators } from "#candidates/store/item/access";
import { type CandidateItem, toCandidate } from "#candidates/store/item/candidate-item";
import { type CandidateKey, candidateKey } from "#candidates/store/item/candidate-key";
import { isOrdinary, ORDINARY_BYTES } from "#candidates/store/large/candidate-size";
import { ItemReads } from "#candidates/store/large/item-reads";
import { LargeCandidateRepository } from "#candidates/store/large/large-candidate-repository";
import { SectionParts } from "#candidates/store/large/section-parts";
import {
  type AmendWrite,
  type Attempt,
  amendWrite,
  assertVersion,
} from "#candidates/store/write/amend-write";
import type { AmendOptions } from "#candidates/store/write/amendment-update";
import { type ChangeOutcome, changeWrite, type Step } from "#candidates/store/write/change-write";
import { createWrite, type Receipt } from "#candidates/store/write/create-write";
import { membersAfter, ORDINARY, ofVersion, unseen } from "#candidates/store/write/guarded-update";
import { ItemWrites } from "#candidates/store/write/item-writes";
import { isDone, type TooLarge, type WriteOutcome } from "#candidates/store/write/write-outcome";
import type { CandidateAmendment, CandidateSubmission } from "#contract/candidate-submission";
import type { Organisation } from "#contract/organisation";
import { LOST } from "#runtime/optimistic-retry";
import type { Runtime } from "#runtime/runtime";

/** The parts of the runtime that the repository uses. */
type Sources = Omit<Runtime, "variables">;

/**
 * Writes candidates across organisations. Of ordinary ones, a create and an amend usually take one request, and a
 * change reads first. Candidates too large for one item go to {@link LargeCandidateRepository}, which reads before it
 * writes and stores the excess in parts beside the item.
 */
export class CandidateRepository {
  readonly #sources: Sources;
  readonly #reads: ItemReads;
  readonly #writes: ItemWrites;
  readonly #large: LargeCandidateRepository;

  constructor(client: DynamoDBDocumentClient, tableName: string, sources: Sources) {
    const parts = new SectionParts(client, tableName, sources);
    this.#sources = sources;
    this.#reads = new ItemReads(client, tableName, parts);
    this.#writes = new ItemWrites(client, tableName);
    this.#large = new LargeCandidateRepository(this.#reads, this.#writes, parts);
  }

  /**
   * Receives a candidate. The condition on the key makes this idempotent: a second submission with the same
   * `externalId` returns the first receipt, built from the item that DynamoDB returns when the condition fails. If
   * the condition fails on the tombstone of an erased candidate, a second request begins a new life, whose events
   * continue the sequence.
   *
   * @throws PayloadTooLarge if no response could hold the candidate
   * @throws ServiceUnavailable if too many concurrent calls create and erase the same candidate
   */
  async receive(organisation: Organisation, submission: CandidateSubmission): Promise<Receipt> {
    const write = createWrite(this.#sources, organisation, submission);
    if (write.packed.jsonBytes > ORDINARY_BYTES) return this.#large.receive(write);
    return write.retry(async () => {
      const put = write.next(ORDINARY);
      return write.receiptOf(await this.#writes.put(put), put);
    });
  }

  /**
   * Sets the members in the amendment and keeps all others, in one request: concurrent amends of different
   * members all take effect. `updatedAt` always increases: if the stored time is not before this process's clock,
   * the amend is repeated with the millisecond after the stored time.
   *
   * A large amendment, or one of a large candidate, reads the candidate first and writes only over the version
   * that it read; if that has changed, it starts again. Giving consent again to a frozen record takes a second
   * request, because the event must fire only for frozen records, and a single update cannot make it conditional.
   *
   * @throws NotFound, ConsentRevoked as `CandidateReader.find`; giving consent again unfreezes the record instead
   * @throws PreconditionFailed if the record's version is not in `options.ifMatch`
   * @throws PayloadTooLarge if no response could hold the result
   * @throws ServiceUnavailable if too many amends of the same candidate race
   */
  async amend(
    orgId: string,
    handle: Handle,
    amendment: CandidateAmendment,
    options: AmendOptions,
  ): Promise<Candidate> {
    if (Object.keys(amendment).length === 0) return this.#findVersion(orgId, handle, options);
    const write = amendWrite(this.#sources, orgId, handle, amendment, options);
    if (write.packed.jsonBytes > ORDINARY_BYTES) return this.#large.amend(write);
    return write.retry(async () => {
      const attempt = write.next();
      const outcome = await this.#updateUnseen(write, attempt);
      if (outcome.kind === "too large") return this.#large.amend(write);
      if (isDone(outcome)) return toCandidate(handle.digest, outcome.item);
      const current = write.refusedBy(outcome);
      return current.large ? this.#large.amend(write, current) : LOST;
    });
  }

  /**
   * Changes a candidate for the platform: reads it, decides, and writes only if it has not changed since; otherwise
   * reads and decides again. The change is written once, with one event, even if it is decided several times. If the
   * candidate was erased and created again in between, the new record is not changed: an erasure that is repeated
   * because its response was lost does not erase it.
   *
   * @throws NotFound as `CandidateReader.inspect`, and if another life began; errors of `decide`
   * @throws PayloadTooLarge if no response could hold the result
   * @throws ServiceUnavailable if too many changes of the same candidate race
   */
  async change(orgId: string, handle: Handle, decision: Decision): Promise<ChangeOutcome> {
    const write = changeWrite(this.#sources, orgId, handle, decision);
    return write.retry(async () => {
      const item = write.audience.access(await this.#reads.get(write.key), handle);
      if (item.large) return this.#large.change(write, item);
      const candidate = toCandidate(handle.digest, item);
      const step = write.decide({ item, candidate });
      if (!step) return { kind: "unchanged", candidate };
      const outcome = await this.#writeStep(step, write.key, item);
      if (outcome.kind === "too large") return this.#large.change(write, item);
      if (isDone(outcome)) return write.changedTo(outcome.item);
      write.refusedBy(outcome, item);
      return LOST;
    });
  }

  /** The candidate, if its version is one of those requested: the result of an empty amend. */
  async #findVersion(orgId: string, handle: Handle, options: AmendOptions): Promise<Candidate> {
    const key = candidateKey(orgId, handle.digest);
    const { candidate } = await this.#reads.read(key, handle, integrators);
    assertVersion(candidate.state.updatedAt, options);
    return candidate;
  }

  async #updateUnseen({ key }: AmendWrite, { update }: Attempt): Promise<WriteOutcome | TooLarge> {
    try {
      return await this.#writes.update(key, unseen(update));
    } catch (error) {
      if (isItemTooLarge(error)) return { kind: "too large" };
      throw error;
    }
  }

  async #writeStep(step: Step, key: CandidateKey, seen: CandidateItem): Promise<WriteOutcome | TooLarge> {
    if (step.kind === "erasure") return this.#writes.put(step.put);
    if (!isOrdinary(membersAfter(step.update, seen))) return { kind: "too large" };
    return this.#writes.update(key, ofVersion(step.update, seen));
  }
}

// DynamoDB has no specific error for this. The limit is 400 KB per item (Amazon DynamoDB quotas).
function isItemTooLarge(error: unknown): boolean {
  return (
    error instanceof DynamoDBServiceException &&
    error.name === "ValidationException" &&
    /size/i.test(error.message)
  );
}
