import { ConditionalCheckFailedException } from "@aws-sdk/client-dynamodb";
import {
  type DynamoDBDocumentClient,
  PutCommand,
  type PutCommandInput,
  QueryCommand,
} from "@aws-sdk/lib-dynamodb";
import type { WebhookEvent } from "#contract/events";
import { allOf } from "#runtime/all-of";
import { logger } from "#runtime/logger";
import type { Runtime } from "#runtime/runtime";
import { timeToLive } from "#runtime/time-to-live";
import { EVENTS_PER_ITEM, packEvents, readFeedItem } from "#webhooks/feed/feed-item";
import type { FeedRead } from "#webhooks/feed/feed-page";
import { RecentIds } from "#webhooks/feed/recent-ids";
import { keptUntil } from "#webhooks/feed/retention";

/**
 * The number of partition keys that an organisation's events are spread over. Each accepts 1,000 write units a second
 * (Amazon DynamoDB developer guide, "Best practices for designing and using partition keys effectively"), and an item
 * of {@link EVENTS_PER_ITEM} events takes one.
 */
const SHARDS = 4;

/**
 * The longest time from an item's position to the acknowledgement of its put, in ms. Together with {@link
 * READ_BEHIND_MS} it provides the feed's guarantee: a reader that has read up to a position has read every item
 * before it.
 *
 * @internal
 */
export const ACKNOWLEDGED_WITHIN_MS = 500;

/**
 * Readers read up to this long ago, in ms. The difference from {@link ACKNOWLEDGED_WITHIN_MS} allows for clocks that
 * differ by up to a second.
 */
export const READ_BEHIND_MS = 1_500;

/**
 * How far the position of an item is ahead of the clock, in ms: for its first put, and for the second one, which is
 * made if the first is not acknowledged in time. So the second put has two seconds to be acknowledged.
 */
const AHEAD_MS = [0, 1_500];

/**
 * The longest time from the start of an append to the position of its events, in ms. After this time the append
 * fails, and the events are published again.
 */
const APPENDED_WITHIN_MS = 3_000;

/** How long an append waits until an item is empty, in ms: a reader may have read the item by then. */
const EMPTIED_WITHIN_MS = 1_000;

/** The content of an item that was emptied because it was not acknowledged in time. */
const NO_EVENTS = packEvents([]);

/** The items that a page reads from each shard: at most two read units. */
const PAGE = 8;

/** A batch has at most a hundred items, because a position has two digits for the number of the item. */
const EVENTS_AT_ONCE = 100 * EVENTS_PER_ITEM;

/** An item to append. */
interface NewItem {
  readonly orgId: string;
  /** The shard of its first put. */
  readonly shard: number;
  readonly id: string;
  readonly events: Uint8Array;
  /** The latest position that it may have. */
  readonly until: Date;
}

/** An item as it was put. */
interface PutItem {
  readonly orgId: string;
  readonly pk: string;
  readonly sentAt: Date;
  readonly position: Date;
  readonly id: string;
}

/** The parts of the runtime that the feed uses. */
type FeedSources = Pick<Runtime, "now" | "random" | "randomBytes" | "wait">;

/** The events of each organisation in the order of their publication. */
export class EventFeed {
  readonly #client: DynamoDBDocumentClient;
  readonly #tableName: string;
  readonly #retentionDays: number;
  readonly #sources: FeedSources;
  /** The latest appended events, so that a batch that is published again is not appended again. */
  readonly #appended = new RecentIds();
  /** Items that do not count, but may still contain events, with the error of the last attempt to empty them. */
  readonly #late = new Map<PutItem, unknown>();
  /** The puts without events that are not acknowledged yet. */
  readonly #emptyings = new Set<Promise<void>>();

  constructor(
    client: DynamoDBDocumentClient,
    tableName: string,
    retentionDays: number,
    sources: FeedSources,
  ) {
    this.#client = client;
    this.#tableName = tableName;
    this.#retentionDays = retentionDays;
    this.#sources = sources;
  }

  /**
   * Appends events to an organisation's feed, except those that this process has appended before. If it fails, some may
   * have been appended, and another process would append them again. {@link settled} must be called after it.
   *
   * @throws Error when the table fails, or does not acknowledge in time
   */
  async append(orgId: string, events: readonly WebhookEvent[]): Promise<void> {
    const until = new Date(this.#sources.now().getTime() + APPENDED_WITHIN_MS);
    await this.#emptyLate(orgId);
    const newEvents = events.filter(({ id }) => !this.#appended.has(id));
    const shard = Math.floor(this.#sources.random() * SHARDS);
    for (let from = 0; from < newEvents.length; from += EVENTS_AT_ONCE) {
      await this.#putAll(newEvents.slice(from, from + EVENTS_AT_ONCE), { orgId, shard, until });
    }
  }

  /** Waits for requests that appends have sent without waiting for them, since Lambda would freeze them. */
  async settled(): Promise<void> {
    await Promise.all(this.#emptyings);
  }

  /** Puts events in items of one batch, all at once. */
  async #putAll(
    events: readonly WebhookEvent[],
    to: Pick<NewItem, "orgId" | "shard" | "until">,
  ): Promise<void> {
    const batch = Buffer.from(this.#sources.randomBytes(8)).toString("hex");
    const items = Array.from({ length: Math.ceil(events.length / EVENTS_PER_ITEM) }, async (_, index) => {
      const ofItem = events.slice(index * EVENTS_PER_ITEM, (index + 1) * EVENTS_PER_ITEM);
      const id = `${batch}#${String(index).padStart(2, "0")}`;
      await this.#put({ ...to, id, events: packEvents(ofItem) });
      for (const event of ofItem) this.#appended.add(event.id);
    });
    await allOf(items);
  }

  /**
   * Puts an item. If the put is not acknowledged in time, a reader may have passed its position. The item is then
   * emptied, and put again further ahead under another partition key.
   */
  async #put(item: NewItem, [aheadMs, ...others]: readonly number[] = AHEAD_MS): Promise<void> {
    const { orgId, shard, id, events, until } = item;
    const sentAt = this.#sources.now();
    const position = new Date(sentAt.getTime() + (aheadMs ?? 0));
    if (aheadMs === undefined || position > until) {
      throw new Error("The event feed was not acknowledged in time.");
    }
    const asPut = { orgId, pk: partitionKey(orgId, shard), sentAt, position, id };
    if (await this.#isInTime(asPut, this.#fill(asPut, events))) return;
    void this.#empty(asPut);
    await this.#put({ ...item, shard: (shard + 1) % SHARDS }, others);
  }

  async #isInTime({ orgId, sentAt, position }: PutItem, put: Promise<void>): Promise<boolean> {
    const deadline = position.getTime() + ACKNOWLEDGED_WITHIN_MS;
    const isAcknowledged = await Promise.race([
      put.then(
        () => true,
        (error: unknown) => {
          logger.warn("request to the event feed failed", { orgId, cause: error });
          return false;
        },
      ),
      this.#sources.wait(deadline - sentAt.getTime()).then(() => false),
    ]);
    const now = this.#sources.now();
    return isAcknowledged && now >= sentAt && now.getTime() <= deadline;
  }

  /** Puts an item with its events, unless it exists: because of an earlier attempt, or because it was emptied. */
  async #fill(item: PutItem, events: Uint8Array): Promise<void> {
    try {
      await this.#write(item, events, { ConditionExpression: "attribute_not_exists(pk)" });
    } catch (error) {
      if (!(error instanceof ConditionalCheckFailedException)) throw error;
    }
  }

  /** Puts an item without events. If the original put arrives later, it changes nothing. */
  #empty(item: PutItem): Promise<void> {
    this.#late.set(item, undefined);
    const emptied = this.#write(item, NO_EVENTS).then(
      () => void this.#late.delete(item),
      (error: unknown) => {
        this.#late.set(item, error);
        logger.warn("request to the event feed failed", { orgId: item.orgId, cause: error });
      },
    );
    const emptying = Promise.race([emptied, this.#sources.wait(EMPTIED_WITHIN_MS)]).then(
      () => void this.#emptyings.delete(emptying),
    );
    this.#emptyings.add(emptying);
    return emptying;
  }

  /**
   * Empties items of an organisation that do not count, before others are put, so that copies do not accumulate.
   *
   * @throws Error when the table fails, or does not acknowledge in time
   */
  async #emptyLate(orgId: string): Promise<void> {
    const late = [...this.#late.keys()].filter((item) => item.orgId === orgId);
    await Promise.all(late.map((item) => this.#empty(item)));
    const full = late.find((item) => this.#late.has(item));
    if (full)
      throw new Error("Items of the event feed could not be emptied.", { cause: this.#late.get(full) });
  }

  async #write(
    { pk, position, id }: PutItem,
    events: Uint8Array,
    condition?: Pick<PutCommandInput, "ConditionExpression">,
  ): Promise<void> {
    const sk = `${position.toISOString()}#${id}`;
    const deleteAfter = timeToLive(keptUntil(position, this.#retentionDays).getTime());
    await this.#client.send(
      new PutCommand({ TableName: this.#tableName, Item: { pk, sk, events, deleteAfter }, ...condition }),
    );
  }

  /**
   * The next items of an organisation's feed, some of each shard.
   *
   * @param from a position, which is included, or a time
   * @param limit the most items of each shard
   */
  async read(orgId: string, from: string, limit = PAGE): Promise<FeedRead> {
    const until = new Date(this.#sources.now().getTime() - READ_BEHIND_MS).toISOString();
    // DynamoDB refuses a range that ends before it begins.
    if (from > until) return { shards: [], until };
    const shards = await Promise.all(
      Array.from({ length: SHARDS }, async (_, shard) => {
        const { Items = [], LastEvaluatedKey } = await this.#client.send(
          new QueryCommand({
            TableName: this.#tableName,
            KeyConditionExpression: "pk = :pk AND sk BETWEEN :from AND :until",
            ExpressionAttributeValues: { ":pk": partitionKey(orgId, shard), ":from": from, ":until": until },
            ConsistentRead: true,
            Limit: limit,
          }),
        );
        return { items: Items.map(readFeedItem), hasMore: LastEvaluatedKey !== undefined };
      }),
    );
    return { shards, until };
  }
}

function partitionKey(orgId: string, shard: number): string {
  return `FEED#${orgId}#${shard}`;
}
