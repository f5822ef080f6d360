import { DeleteCommand, type DynamoDBDocumentClient, GetCommand, paginateQuery } from "@aws-sdk/lib-dynamodb";
import { candidateKey } from "#candidates/candidate-item";
import { PART_PREFIX, parsePartKey, referencesIn, sectionKey } from "#candidates/section-reference";
import type { Sweep, SweepQueue } from "#candidates/sweep-queue";

/**
 * How long after its beginning a write can no longer store or name parts, in ms: its function ends within
 * a minute, and AWS refuses a request 15 minutes after it was signed (Signature Version 4).
 */
const SETTLED_MS = 20 * 60 * 1000;

/** Removes the parts that no candidate names: replaced ones, and those of writes that did not come to an end. */
export class PartSweep {
  readonly #client: DynamoDBDocumentClient;
  readonly #tableName: string;
  readonly #queue: Pick<SweepQueue, "announce">;
  readonly #now: () => Date;

  constructor(
    client: DynamoDBDocumentClient,
    tableName: string,
    queue: Pick<SweepQueue, "announce">,
    now = () => new Date(),
  ) {
    this.#client = client;
    this.#tableName = tableName;
    this.#queue = queue;
    this.#now = now;
  }

  /**
   * Sweeps one candidate. Parts are listed before the candidate is read: a settled part that it does not
   * name then will not be named again. Where a part is not settled yet, another sweep follows.
   */
  async sweep(sweep: Sweep): Promise<void> {
    const { pk, sk } = candidateKey(sweep.orgId, sweep.digest);
    const parts = await this.#partsOf(pk);
    if (parts.length === 0) return;
    const { Item: item = {} } = await this.#client.send(
      new GetCommand({ TableName: this.#tableName, Key: { pk, sk }, ConsistentRead: true }),
    );
    const named = new Set(referencesIn(item).map(([section, reference]) => sectionKey(section, reference)));
    const unnamed = parts.filter((part) => !named.has(parsePartKey(part).sectionKey));
    const settled = unnamed.filter(
      (part) => parsePartKey(part).writtenAt < this.#now().getTime() - SETTLED_MS,
    );
    for (const part of settled) {
      await this.#client.send(new DeleteCommand({ TableName: this.#tableName, Key: { pk, sk: part } }));
    }
    if (settled.length < unnamed.length) await this.#queue.announce(sweep);
  }

  /** The sort keys of a candidate's parts. */
  async #partsOf(pk: string): Promise<string[]> {
    const pages = paginateQuery(
      { client: this.#client },
      {
        TableName: this.#tableName,
        KeyConditionExpression: "pk = :pk AND begins_with(sk, :part)",
        ExpressionAttributeValues: { ":pk": pk, ":part": PART_PREFIX },
        ProjectionExpression: "sk",
        ConsistentRead: true,
      },
    );
    const parts: string[] = [];
    for await (const { Items = [] } of pages) parts.push(...Items.map((item) => String(item["sk"])));
    return parts;
  }
}
