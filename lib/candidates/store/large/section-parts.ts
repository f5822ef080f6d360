import { createHash } from "node:crypto";
import { DeleteCommand, type DynamoDBDocumentClient, GetCommand, PutCommand } from "@aws-sdk/lib-dynamodb";
import {
  isSectionReference,
  partKeys,
  replacedReferences,
  type SectionReference,
  WRITE_PREFIX,
} from "#candidates/store/item/section-reference";
import { answerBytes } from "#candidates/store/large/candidate-size";
import { newWriteId } from "#candidates/store/write/write-stamp";
import { isPassingFault } from "#runtime/faults";
import { logger } from "#runtime/logger";
import type { Runtime } from "#runtime/runtime";

/** The bytes of one part: an item holds 400 KB, names and keys included (Amazon DynamoDB quotas). */
const PART_BYTES = 390 * 1024;

/**
 * How long a notice stands, in seconds: by then its write is long over, for its function ends within a
 * minute, and AWS refuses a request 15 minutes after it was signed (Signature Version 4).
 */
const NOTICE_SECONDS = 60 * 60;

/**
 * How long a part waits for another attempt after those of the SDK, in ms: one partition takes 1,000 write units
 * and 3,000 read units a second (Amazon DynamoDB quotas); 4 MiB are over 4,000 of the one, 1,000 of the other.
 */
const WAITS_MS = [250, 500, 1_000, 2_000, 4_000];

/**
 * After so long a part has no further attempt, in ms: where requests hang, the SDK's three attempts take 6 s, and the
 * caller is to get a 503 before the function's timeout, 25 s.
 */
const PATIENCE_MS = 8_000;

/** What parts are written and read with, of where the process runs. */
export type PartSources = Pick<Runtime, "now" | "random" | "randomBytes" | "wait">;

/** The sections of candidates that are kept in parts: items under the candidate's own partition key. */
export class SectionParts {
  readonly #client: DynamoDBDocumentClient;
  readonly #tableName: string;
  readonly #sources: PartSources;

  constructor(client: DynamoDBDocumentClient, tableName: string, sources: PartSources) {
    this.#client = client;
    this.#tableName = tableName;
    this.#sources = sources;
  }

  newWriteId(): string {
    return newWriteId(this.#sources);
  }

  /**
   * Says that a write is under way that may leave parts without a name. When the notice expires, the
   * candidate is swept; until then its parts are left alone.
   */
  async giveNotice(pk: string, writeId: string): Promise<void> {
    await this.#client.send(
      new PutCommand({
        TableName: this.#tableName,
        Item: {
          pk,
          sk: `${WRITE_PREFIX}${writeId}`,
          deleteAfter: Math.floor(this.#sources.now().getTime() / 1000) + NOTICE_SECONDS,
        },
      }),
    );
  }

  /** Stores a packed member, and gives the reference that its candidate's item is to hold. */
  async write(pk: string, section: string, packed: Uint8Array, writeId: string): Promise<SectionReference> {
    const reference: SectionReference = {
      hash: hashOf(packed),
      writeId,
      parts: Math.ceil(packed.length / PART_BYTES),
      answerBytes: answerBytes(packed),
    };
    const outcomes = await Promise.allSettled(
      partKeys(section, reference).map((sk, index) => {
        const content = packed.subarray(index * PART_BYTES, (index + 1) * PART_BYTES);
        return this.#patiently(() =>
          this.#client.send(new PutCommand({ TableName: this.#tableName, Item: { pk, sk, content } })),
        );
      }),
    );
    // All have ended by now: none goes on in a function that is frozen here and thawed after the sweep.
    for (const outcome of outcomes) if (outcome.status === "rejected") throw outcome.reason;
    return reference;
  }

  /**
   * The packed member, or undefined when its parts are gone, because what named them is no more.
   *
   * @throws Error when the parts are not what was stored
   */
  async read(pk: string, section: string, reference: SectionReference): Promise<Uint8Array | undefined> {
    const answers = await Promise.all(
      partKeys(section, reference).map((sk) =>
        this.#patiently(() =>
          this.#client.send(
            new GetCommand({ TableName: this.#tableName, Key: { pk, sk }, ConsistentRead: true }),
          ),
        ),
      ),
    );
    const contents = answers.map(({ Item }) => Item?.["content"] as Uint8Array | undefined);
    if (!contents.every((content) => content !== undefined)) return undefined;
    const packed = Buffer.concat(contents);
    if (hashOf(packed) !== reference.hash) throw new Error("The parts of a section are not what was stored.");
    return packed;
  }

  async remove(pk: string, section: string, reference: SectionReference): Promise<void> {
    await Promise.all(
      partKeys(section, reference).map((sk) =>
        this.#patiently(() =>
          this.#client.send(new DeleteCommand({ TableName: this.#tableName, Key: { pk, sk } })),
        ),
      ),
    );
  }

  /**
   * Removes the parts that one state of a candidate's attributes names and a later one does not: nothing can name them
   * again. What fails is left to the sweep.
   */
  async removeReplaced(pk: string, before: object, after: object): Promise<void> {
    try {
      await Promise.all(replacedReferences(before, after).map((replaced) => this.remove(pk, ...replaced)));
    } catch (error) {
      logger.warn("parts left to the sweep", { cause: error });
    }
  }

  // Ten lines of our own: p-retry would put 4.5 kB into each bundle that creates or amends (docs/decisions/0024).
  async #patiently<Output>(send: () => Promise<Output>): Promise<Output> {
    const { now } = this.#sources;
    const lastAttempt = now().getTime() + PATIENCE_MS;
    for (const wait of WAITS_MS) {
      try {
        return await send();
      } catch (error) {
        if (!isPassingFault(error) || now().getTime() > lastAttempt) throw error;
        await this.#sources.wait(wait * (0.5 + this.#sources.random() / 2));
      }
    }
    return send();
  }
}

/** What one write of a candidate stores in parts. However often it is tried, each section is stored once. */
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
   * Stores a section whose reference the candidate's item is to hold; nothing is stored when it holds the
   * very content already.
   *
   * @param current what the item holds of the section now
   */
  async store(section: string, packed: Uint8Array, current: unknown): Promise<SectionReference> {
    const hash = hashOf(packed);
    if (isSectionReference(current) && current.hash === hash) return current;
    const stored = this.#stored.get(section);
    if (stored?.hash === hash) return stored;
    await this.giveNotice();
    const reference = await this.#parts.write(this.#pk, section, packed, this.#writeId);
    this.#stored.set(section, reference);
    return reference;
  }

  /**
   * Removes what was stored and the item does not name: once the write was refused, its condition can never hold
   * again. What fails is left to the sweep.
   *
   * @param item as it is after the write, or as it refused it: an earlier request of this write may have been
   *   done, so that it names what was stored
   */
  async discard(item: object): Promise<void> {
    await this.#parts.removeReplaced(this.#pk, Object.fromEntries(this.#stored), item);
  }

  /** Once the item is written: removes the parts that it named before, and those that it came to do without. */
  async settle(before: object, written: object): Promise<void> {
    await this.#parts.removeReplaced(this.#pk, before, written);
    await this.discard(written);
  }

  /**
   * Begins again with parts of its own: when an earlier request of this write may have been done and replaced
   * since, whoever replaced it removes what was stored.
   *
   * @param item as {@link discard}
   */
  async renew(item: object): Promise<void> {
    await this.discard(item);
    this.#writeId = this.#parts.newWriteId();
    this.#stored.clear();
    this.#noticed = undefined;
  }

  /** To be called before a part is stored or loses its name: wherever the write ends, a sweep follows. */
  giveNotice(): Promise<void> {
    this.#noticed ??= this.#parts.giveNotice(this.#pk, this.#writeId);
    return this.#noticed;
  }
}

function hashOf(packed: Uint8Array): string {
  return createHash("sha256").update(packed).digest("hex");
}
