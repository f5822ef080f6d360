import type { CandidateItem } from "#candidates/store/item/candidate-item";
import { assertKnownVersion } from "#candidates/store/item/item-version";
import { isSectionReference, type SectionReference } from "#candidates/store/item/section-reference";
import { hashOf, type SectionParts } from "#candidates/store/large/section-parts";

/** The parts stored by one write of a candidate. An attempt uses what earlier ones have stored. */
export class SectionWrite {
  readonly #parts: SectionParts;
  readonly #pk: string;
  #writeId: string;
  readonly #stored = new Map<string, SectionReference>();
  #noticed: Promise<void> | undefined;

  constructor(parts: SectionParts, pk: string, writeId: string) {
    this.#parts = parts;
    this.#pk = pk;
    this.#writeId = writeId;
  }

  /**
   * Stores a section and returns the reference for the candidate's item. Stores nothing if the item already has the
   * same content.
   *
   * @param current the item's current value of the section
   */
  async store(section: string, packed: Uint8Array, current: unknown): Promise<SectionReference> {
    const hash = hashOf(packed);
    if (isSectionReference(current) && current.hash === hash) return current;
    const stored = this.#stored.get(section);
    if (stored?.hash === hash) return stored;
    // A later attempt may store again what is removed below, and the removal may then still be under way.
    if (stored) this.#takeNewId();
    await this.giveNotice();
    const reference = await this.#parts.write(this.#pk, section, packed, this.#writeId);
    this.#stored.set(section, reference);
    // The attempt that stored it was refused, because another write has replaced the section.
    if (stored) await this.#parts.removeReplaced(this.#pk, { [section]: stored }, {});
    return reference;
  }

  /**
   * Removes the parts that this write stored and the item does not reference: once the write was refused, its condition
   * can never hold again. The sweep removes those that cannot be removed here.
   *
   * @param item as it is after the write, or as returned by the failed condition: it references the parts if an
   *   earlier request of this write succeeded
   * @throws Error if the item is of a version that this code does not support: its references would not be seen
   */
  async discard(item: Partial<Pick<CandidateItem, "itemVersion">>): Promise<void> {
    const { itemVersion } = item;
    if (itemVersion !== undefined) assertKnownVersion({ itemVersion });
    await this.#parts.removeReplaced(this.#pk, Object.fromEntries(this.#stored), item);
  }

  /** After the item is written: removes the parts that it no longer references, and those stored but not needed. */
  async removeReplaced(before: object, written: object): Promise<void> {
    await this.#parts.removeReplaced(this.#pk, before, written);
    await this.discard(written);
  }

  /**
   * Starts again with new parts: an earlier request of this write may have succeeded and been replaced since, and the
   * write that replaced it removes the parts stored so far.
   *
   * @param item as for {@link discard}
   */
  async renew(item: object): Promise<void> {
    await this.discard(item);
    this.#takeNewId();
    this.#stored.clear();
  }

  /** Must be called before a part is stored or loses its reference, so that a sweep follows however the write ends. */
  giveNotice(): Promise<void> {
    this.#noticed ??= this.#parts.giveNotice(this.#pk, this.#writeId);
    return this.#noticed;
  }

  #takeNewId(): void {
    this.#writeId = this.#parts.newWriteId();
    this.#noticed = undefined;
  }
}
