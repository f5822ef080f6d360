import { type DynamoDBDocumentClient, PutCommand, QueryCommand } from "@aws-sdk/lib-dynamodb";
import type { WebhookEvent } from "#contract/events";
import type { Runtime } from "#runtime/runtime";
import { EVENTS_PER_ITEM, packEvents, readFeedItem } from "#webhooks/feed/feed-item";
import type { FeedRead } from "#webhooks/feed/feed-page";
import { keptUntil } from "#webhooks/feed/retention";

/**
 * The number of partition keys that an organisation's events are spread over. Each accepts 1,000 write units a second
 * (Amazon DynamoDB developer guide, "Best practices for designing and using partition keys effectively"), and an item
 * of {@link EVENTS_PER_ITEM} events takes one.
 */
const SHARDS = 4;

/**
 * How soon an item must be acknowledged after the moment that is its position, in ms. Together with
 * {@link READ_BEHIND_MS} it is the feed's guarantee: whoever has read up to a position has read every item before it.
 *
 * @internal Exported for tests.
 */
export const ACKNOWLEDGED_WITHIN_MS = 500;

/**
 * How long ago the moment is that readers read up to, in ms. What remains after {@link ACKNOWLEDGED_WITHIN_MS} is for
 * clocks that differ, by up to a second.
 */
export const READ_BEHIND_MS = 1_500;

/**
 * For how long items are sent under new positions before the events fail, and are published again, in ms: how much later
 * than its publication an event's position may be.
 */
const APPENDS_FOR_MS = 3_000;

/** How many of the events that it has appended a process remembers: some hundred kilobytes. */
const REMEMBERED = 5_000;

/** The items that a page reads from each shard: at most two read units. */
const PAGE = 8;

/** An event to append, and its organisation. */
interface PublishedEvent {
  readonly orgId: string;
  readonly event: WebhookEvent;
}

/** The events of each organisation in the order of their publication. */
export class EventFeed {
  readonly #client: DynamoDBDocumentClient;
  readonly #tableName: string;
  readonly #retentionDays: number;
  readonly #runtime: Pick<Runtime, "now" | "random" | "randomBytes">;
  /** The ids of the latest events that were appended, so that a batch that is published again is not. */
  readonly #appended = new Set<string>();

  constructor(
    client: DynamoDBDocumentClient,
    tableName: string,
    retentionDays: number,
    runtime: Pick<Runtime, "now" | "random" | "randomBytes">,
  ) {
    this.#client = client;
    this.#tableName = tableName;
    this.#retentionDays = retentionDays;
    this.#runtime = runtime;
  }

  /**
   * Appends events, each to the feed of its organisation, but for those that this process has appended before. If this
   * fails, some may have been appended: another process would append them twice.
   *
   * @throws Error when the table fails, or does not acknowledge in time
   */
  async append(published: readonly PublishedEvent[]): Promise<void> {
    const until = this.#runtime.now().getTime() + APPENDS_FOR_MS;
    const news = published.filter(({ event }) => !this.#appended.has(event.id));
    const byOrganisation = Map.groupBy(news, ({ orgId }) => orgId);
    await Promise.all(
      [...byOrganisation].flatMap(([orgId, ofOrganisation]) => {
        const pk = partitionKey(orgId, Math.floor(this.#runtime.random() * SHARDS));
        const batch = Buffer.from(this.#runtime.randomBytes(8)).toString("hex");
        const items = Math.ceil(ofOrganisation.length / EVENTS_PER_ITEM);
        return Array.from({ length: items }, async (_, index) => {
          const first = index * EVENTS_PER_ITEM;
          const events = ofOrganisation.slice(first, first + EVENTS_PER_ITEM).map(({ event }) => event);
          await this.#put(pk, `${batch}#${String(index).padStart(2, "0")}`, packEvents(events), until);
          this.#remember(events);
        });
      }),
    );
  }

  /** An item that is acknowledged late is sent again, since a reader may have passed its position. */
  async #put(pk: string, id: string, events: Uint8Array, until: number): Promise<void> {
    for (let sentAt = this.#runtime.now(); sentAt.getTime() <= until; sentAt = this.#runtime.now()) {
      const sk = `${sentAt.toISOString()}#${id}`;
      const deleteAfter = Math.floor(keptUntil(sentAt, this.#retentionDays).getTime() / 1_000);
      await this.#client.send(
        new PutCommand({ TableName: this.#tableName, Item: { pk, sk, events, deleteAfter } }),
      );
      const tookMs = this.#runtime.now().getTime() - sentAt.getTime();
      if (tookMs >= 0 && tookMs <= ACKNOWLEDGED_WITHIN_MS) return;
    }
    throw new Error("The event feed was not acknowledged in time.");
  }

  #remember(events: readonly WebhookEvent[]): void {
    for (const { id } of events) this.#appended.add(id);
    const forgotten = [...this.#appended].slice(0, Math.max(0, this.#appended.size - REMEMBERED));
    for (const id of forgotten) this.#appended.delete(id);
  }

  /**
   * The next items of an organisation's feed, some of each shard.
   *
   * @param from a position, which is included, or a moment
   */
  async read(orgId: string, from: string): Promise<FeedRead> {
    const until = new Date(this.#runtime.now().getTime() - READ_BEHIND_MS).toISOString();
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
            Limit: PAGE,
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
