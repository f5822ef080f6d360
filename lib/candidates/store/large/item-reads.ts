import type { DynamoDBDocumentClient } from "@aws-sdk/lib-dynamodb";
import type { Candidate } from "#candidates/candidate";
import { type Handle, stagedIdOf } from "#candidates/handles";
import type { Audience } from "#candidates/store/item/access";
import { type CandidateItem, type ReadCandidate, toCandidate } from "#candidates/store/item/candidate-item";
import type { CandidateKey } from "#candidates/store/item/candidate-key";
import { getItem } from "#candidates/store/item/get-item";
import { referencesIn } from "#candidates/store/item/section-reference";
import type { SectionParts } from "#candidates/store/large/section-parts";
import { LOST, optimisticRetry } from "#runtime/optimistic-retry";

/** The most times that a candidate is read if its parts are replaced during each read. */
const READ_ATTEMPTS = 5;

/** Reads candidates: the item, and the parts that it references if there are any. */
export class ItemReads {
  readonly #client: DynamoDBDocumentClient;
  readonly #tableName: string;
  readonly #parts: SectionParts;

  constructor(client: DynamoDBDocumentClient, tableName: string, parts: SectionParts) {
    this.#client = client;
    this.#tableName = tableName;
    this.#parts = parts;
  }

  get(key: CandidateKey): Promise<CandidateItem | undefined> {
    return getItem(this.#client, this.#tableName, key);
  }

  /**
   * The candidate, read consistently. It is read again if its parts have been replaced since its item was read.
   *
   * @param first the item, if it has just been read
   * @throws what the audience's access throws
   * @throws ServiceUnavailable if its parts are replaced faster than they are read
   * @throws Error if a part is missing permanently: the item still references it
   */
  async read(
    key: CandidateKey,
    handle: Handle,
    audience: Audience,
    first?: CandidateItem,
  ): Promise<ReadCandidate> {
    const versions = new Set<string>();
    return optimisticRetry(READ_ATTEMPTS)(
      async () => {
        const item = versions.size === 0 && first ? first : audience.access(await this.get(key), handle);
        versions.add(item.updatedAt);
        const candidate = await this.assemble(key, handle, item, audience);
        return candidate ? { item, candidate } : LOST;
      },
      async () => {
        if (versions.size === 1)
          throw new Error(`A part of ${stagedIdOf(handle.digest)} is gone: restore it from a backup.`);
      },
    );
  }

  /** The candidate from an item and the parts that it references; undefined if they have been replaced since. */
  async assemble(
    { pk }: CandidateKey,
    { digest }: Handle,
    item: CandidateItem,
    { reads }: Audience,
  ): Promise<Candidate | undefined> {
    const wanted = referencesIn(item).filter(([section]) => reads(section));
    const packed = await Promise.all(
      wanted.map(async ([section, reference]) => [section, await this.#parts.read(pk, section, reference)]),
    );
    if (packed.some(([, bytes]) => bytes === undefined)) return undefined;
    return toCandidate(digest, item, Object.fromEntries(packed));
  }
}
