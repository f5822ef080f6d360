import { createHash } from "node:crypto";
import { DeleteCommand, type DynamoDBDocumentClient, GetCommand, PutCommand } from "@aws-sdk/lib-dynamodb";
import {
  partKeys,
  replacedReferences,
  type SectionReference,
  WRITE_PREFIX,
} from "#candidates/store/item/section-reference";
import { responseBytes } from "#candidates/store/large/candidate-size";
import { newWriteId } from "#candidates/store/write/write-stamp";
import { allOf } from "#runtime/all-of";
import { HOUR } from "#runtime/durations";
import { isTransientFault } from "#runtime/faults";
import { logger } from "#runtime/logger";
import type { Runtime } from "#runtime/runtime";
import { timeToLive } from "#runtime/time-to-live";

/** The size of one part, in bytes: an item holds 400 KB, names and keys included (Amazon DynamoDB quotas). */
const PART_BYTES = 390 * 1024;

/** The attribute of a part that holds its bytes. */
export const PART_CONTENT = "content";

/**
 * The lifetime of a notice, in ms. By then its write is long over: its function ends within a minute, and AWS refuses a
 * request some minutes after it was signed (IAM user guide, "AWS Signature Version 4 for API requests": five in most
 * cases).
 */
const NOTICE_MS = HOUR;

/**
 * The waits before further attempts at a part, in ms, each time the SDK's own attempts have failed. A partition serves
 * 1,000 write units and 3,000 read units a second (Amazon DynamoDB quotas). Writing 4 MiB takes over 4,000 write units,
 * and reading it takes 1,000 read units.
 */
const WAITS_MS = [250, 500, 1_000, 2_000, 4_000];

/** The same for a read, whose caller may repeat it: waiting reads occupy executions that all organisations share. */
const READ_WAITS_MS = [250, 500];

/**
 * After this time, in ms, a failed attempt at a part is not repeated. If requests hang, the SDK's three attempts take
 * 6 s, and the caller must receive a 503 before the function's timeout, 25 s.
 */
const PATIENCE_MS = 8_000;

/** The parts of the runtime that reads and writes of parts use. */
export type PartSources = Pick<Runtime, "now" | "random" | "randomBytes" | "wait">;

/** The sections of candidates that are stored in parts: items under the candidate's own partition key. */
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
   * Records that a write in progress may leave unreferenced parts. When the notice expires, the candidate is swept;
   * until then the sweep does not remove the parts of this write.
   */
  async giveNotice(pk: string, writeId: string): Promise<void> {
    await this.#client.send(
      new PutCommand({
        TableName: this.#tableName,
        Item: {
          pk,
          sk: `${WRITE_PREFIX}${writeId}`,
          deleteAfter: timeToLive(this.#sources.now().getTime() + NOTICE_MS),
        },
      }),
    );
  }

  /** Stores a packed member, and returns the reference for its candidate's item. */
  async write(pk: string, section: string, packed: Uint8Array, writeId: string): Promise<SectionReference> {
    const reference: SectionReference = {
      hash: hashOf(packed),
      writeId,
      parts: Math.ceil(packed.length / PART_BYTES),
      responseBytes: responseBytes(packed),
    };
    // One that continued in a later invocation could store a part after the sweep has run.
    await allOf(
      partKeys(section, reference).map((sk, index) => {
        const content = packed.subarray(index * PART_BYTES, (index + 1) * PART_BYTES);
        return this.#withRetries(() =>
          this.#client.send(
            new PutCommand({ TableName: this.#tableName, Item: { pk, sk, [PART_CONTENT]: content } }),
          ),
        );
      }),
    );
    return reference;
  }

  /**
   * The packed member, or undefined if its parts have been removed, because the item no longer references them.
   *
   * @throws Error if the parts differ from what was stored
   */
  async read(pk: string, section: string, reference: SectionReference): Promise<Uint8Array | undefined> {
    const responses = await Promise.all(
      partKeys(section, reference).map((sk) =>
        this.#withRetries(
          () =>
            this.#client.send(
              new GetCommand({
                TableName: this.#tableName,
                Key: { pk, sk },
                ConsistentRead: true,
                // The permissions of some functions require that a read names its attributes.
                ProjectionExpression: "#content",
                ExpressionAttributeNames: { "#content": PART_CONTENT },
              }),
            ),
          READ_WAITS_MS,
        ),
      ),
    );
    const contents = responses.map(({ Item }) => Item?.[PART_CONTENT] as Uint8Array | undefined);
    if (!contents.every((content) => content !== undefined)) return undefined;
    const packed = Buffer.concat(contents);
    if (hashOf(packed) !== reference.hash) throw new Error("The parts of a section differ from its hash.");
    return packed;
  }

  async remove(pk: string, section: string, reference: SectionReference): Promise<void> {
    await Promise.all(
      partKeys(section, reference).map((sk) =>
        this.#withRetries(() =>
          this.#client.send(new DeleteCommand({ TableName: this.#tableName, Key: { pk, sk } })),
        ),
      ),
    );
  }

  /**
   * Removes the parts that the attributes in `before` reference and those in `after` do not: nothing can reference
   * them again. The sweep removes those that cannot be removed here.
   */
  async removeReplaced(pk: string, before: object, after: object): Promise<void> {
    try {
      await Promise.all(replacedReferences(before, after).map((replaced) => this.remove(pk, ...replaced)));
    } catch (error) {
      logger.warn("parts not removed: the sweep removes them", { cause: error });
    }
  }

  // Written by hand: p-retry would add 4.5 kB to each bundle that creates or amends (docs/decisions/0024).
  async #withRetries<Output>(send: () => Promise<Output>, waits = WAITS_MS): Promise<Output> {
    const { now } = this.#sources;
    const lastAttempt = now().getTime() + PATIENCE_MS;
    for (const wait of waits) {
      try {
        return await send();
      } catch (error) {
        if (!isTransientFault(error) || now().getTime() > lastAttempt) throw error;
        await this.#sources.wait(wait * (0.5 + this.#sources.random() / 2));
      }
    }
    return send();
  }
}

/** SHA-256 of a packed member, in hexadecimal. */
export function hashOf(packed: Uint8Array): string {
  return createHash("sha256").update(packed).digest("hex");
}
