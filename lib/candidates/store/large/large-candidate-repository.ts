import type { Candidate } from "#candidates/candidate";
import { noSuchCandidate } from "#candidates/handles";
import { integrators } from "#candidates/store/item/access";
import { type CandidateItem, type ItemMembers, membersOf } from "#candidates/store/item/candidate-item";
import type { CandidateKey } from "#candidates/store/item/candidate-key";
import {
  referencesIn,
  replacedReferences,
  type SectionReference,
} from "#candidates/store/item/section-reference";
import {
  isLarge,
  membersWithoutRoom,
  outgrowsResponse,
  responseLimit,
  type Writer,
} from "#candidates/store/large/candidate-size";
import type { ItemReads } from "#candidates/store/large/item-reads";
import type { SectionParts } from "#candidates/store/large/section-parts";
import { SectionWrite } from "#candidates/store/large/section-write";
import type { AmendWrite } from "#candidates/store/write/amend-write";
import type { ChangeOutcome, ChangeWrite, Step } from "#candidates/store/write/change-write";
import type { CreateWrite, Receipt } from "#candidates/store/write/create-write";
import { type Layout, membersAfter, ofVersion } from "#candidates/store/write/guarded-update";
import type { ItemUpdate, ItemWrites } from "#candidates/store/write/item-writes";
import { isDone, type WriteOutcome } from "#candidates/store/write/write-outcome";
import { PayloadTooLarge } from "#contract/errors";
import { LOST } from "#runtime/optimistic-retry";

/**
 * Writes candidates that exceed one item, after reading them. Sections that do not fit into the item are stored in
 * parts beside it before the item references them, and removed once it no longer does.
 */
export class LargeCandidateRepository {
  readonly #reads: ItemReads;
  readonly #writes: ItemWrites;
  readonly #parts: SectionParts;

  constructor(reads: ItemReads, writes: ItemWrites, parts: SectionParts) {
    this.#reads = reads;
    this.#writes = writes;
    this.#parts = parts;
  }

  /**
   * Receives a candidate whose submission may exceed one item. If another create came first, the parts that this one
   * stored are removed.
   *
   * @throws PayloadTooLarge, ServiceUnavailable as `CandidateRepository.receive`
   */
  async receive(write: CreateWrite): Promise<Receipt> {
    // A replay stores no parts.
    const replay = write.see(await this.#reads.get(write.key));
    if (replay) return replay;
    const sections = this.#sectionWrite(write);
    const layout = await this.#layOut(write.packed.attributes, {}, sections, "create");
    let seen: CandidateItem | undefined;
    return write.retry(
      async () => {
        const put = write.next(layout);
        const outcome = await this.#writes.put(put);
        seen = outcome.item;
        const receipt = await orDiscard(sections, seen, () => write.receiptOf(outcome, put));
        if (receipt !== LOST && receipt.kind === "replayed") await sections.discard(seen ?? {});
        return receipt;
      },
      () => sections.discard(seen ?? {}),
    );
  }

  /**
   * Amends the version that was read, or starts again if it has changed. Errors as `CandidateRepository.amend`. If a
   * refused write ends with an error, the parts that it stored are removed.
   */
  async amend(write: AmendWrite, refusing?: CandidateItem): Promise<Candidate> {
    const sections = this.#sectionWrite(write);
    let seen = refusing ?? write.see(await this.#reads.get(write.key));
    return write.retry(
      async () => {
        const attempt = write.next();
        const update = await this.#laidOut(attempt.update, seen, sections, "amend");
        const outcome = await this.#writes.update(write.key, update);
        if (isDone(outcome)) {
          await sections.removeReplaced(seen, outcome.item);
          return this.#amended(write, outcome.item);
        }
        seen = await orDiscard(sections, outcome.item, () => write.refusedBy(outcome));
        if (outcome.kind === "uncertain") await sections.renew(seen);
        return LOST;
      },
      () => sections.discard(seen),
    );
  }

  /**
   * Changes a candidate whose item has been read for the first attempt. Errors as `CandidateRepository.change`. If a
   * refused write ends with an error, the parts that it stored are removed.
   */
  async change(write: ChangeWrite, first: CandidateItem): Promise<ChangeOutcome> {
    const sections = this.#sectionWrite(write);
    // What it discards are parts of attempts that were refused: no version of the item references them.
    const attempt = async (read?: CandidateItem): Promise<ChangeOutcome | typeof LOST> => {
      const { item, candidate, step } = await orDiscard(sections, first, async () => {
        const seen = await this.#reads.read(write.key, write.handle, write.audience, read);
        return { ...seen, step: write.decide(seen) };
      });
      if (!step) {
        await sections.discard(item);
        return { kind: "unchanged", candidate };
      }
      const outcome = await this.#writeStep(step, write.key, item, sections);
      if (isDone(outcome)) {
        await sections.removeReplaced(item, outcome.item);
        return write.changedTo(outcome.item);
      }
      write.refusedBy(outcome, item);
      if (outcome.kind === "uncertain") await sections.renew(outcome.item ?? {});
      return LOST;
    };
    const outcome = await attempt(first);
    if (outcome !== LOST) return outcome;
    return write.retry(
      () => attempt(),
      () => sections.discard(first),
    );
  }

  async #writeStep(
    step: Step,
    key: CandidateKey,
    seen: CandidateItem,
    sections: SectionWrite,
  ): Promise<WriteOutcome> {
    if (step.kind === "update") {
      const update = await this.#laidOut(step.update, seen, sections, "platform");
      return this.#writes.update(key, update);
    }
    if (referencesIn(seen).length > 0) await sections.giveNotice();
    return this.#writes.put(step.put);
  }

  /** An update of exactly the version that was read, with a new layout. */
  async #laidOut(
    update: ItemUpdate,
    seen: CandidateItem,
    sections: SectionWrite,
    writer: Writer,
  ): Promise<ItemUpdate> {
    const layout = await this.#layOut(membersAfter(update, seen), membersOf(seen), sections, writer);
    return ofVersion(update, seen, layout);
  }

  /**
   * The layout for members that exceed one item: references to those that are now stored in parts.
   *
   * @param next the members after the write
   * @param current the members in the item now
   */
  async #layOut(
    next: ItemMembers,
    current: ItemMembers,
    sections: SectionWrite,
    writer: Writer,
  ): Promise<Layout> {
    if (outgrowsResponse(next, current, writer)) {
      await sections.discard(current);
      throw new PayloadTooLarge(
        `The record would take up more than ${responseLimit(writer) / 1_000_000} MB of a response. Send less data.`,
      );
    }
    const references: Record<string, SectionReference> = {};
    for (const [section, packed] of membersWithoutRoom(next)) {
      references[section] = await sections.store(section, packed, current[section]);
    }
    const members = { ...next, ...references };
    if (replacedReferences(current, members).length > 0) await sections.giveNotice();
    return { references, large: isLarge(members) };
  }

  /**
   * The candidate as written, or read again if another write has replaced its parts since.
   *
   * @throws NotFound if another life has begun
   */
  async #amended({ key, handle }: AmendWrite, written: CandidateItem): Promise<Candidate> {
    const assembled = await this.#reads.assemble(key, handle, written, integrators);
    if (assembled) return assembled;
    const { item, candidate } = await this.#reads.read(key, handle, integrators);
    if (item.firstSequence !== written.firstSequence) throw noSuchCandidate();
    return candidate;
  }

  #sectionWrite({ key, writeId }: { readonly key: CandidateKey; readonly writeId: string }): SectionWrite {
    return new SectionWrite(this.#parts, key.pk, writeId);
  }
}

/** Runs what decides on the next attempt. If it throws, the parts that the refused ones stored are removed. */
async function orDiscard<Decided>(
  sections: SectionWrite,
  item: CandidateItem | undefined,
  decide: () => Decided | Promise<Decided>,
): Promise<Decided> {
  try {
    return await decide();
  } catch (error) {
    await sections.discard(item ?? {});
    throw error;
  }
}
