import {
  BatchWriteCommand,
  type DynamoDBDocumentClient,
  PutCommand,
  paginateQuery,
} from "@aws-sdk/lib-dynamodb";
import type { Delivery } from "#webhooks/delivery/delivery";

/**
 * The number of partition keys that waiting deliveries are spread over. Each accepts up to 1,000 writes a second
 * (Amazon DynamoDB developer guide, "Best practices for designing and using partition keys effectively").
 */
export const PARTITIONS = 10;

/**
 * How many deliveries are released at a time: few enough that no request waits a second for one of the SDK's 50
 * sockets, which would count as a connection timeout.
 */
const PAGE = 250;
/** The most items of one batch request (Amazon DynamoDB API, BatchWriteItem). */
const BATCH = 25;

/** A delivery whose time has come, as it was stored. */
export interface DueDelivery {
  readonly key: { readonly pk: string; readonly sk: string };
  /** The delivery as JSON. */
  readonly message: string;
}

/** The deliveries that wait for longer than SQS can delay a message. */
export class WaitingDeliveries {
  readonly #client: DynamoDBDocumentClient;
  readonly #tableName: string;

  constructor(client: DynamoDBDocumentClient, tableName: string) {
    this.#client = client;
    this.#tableName = tableName;
  }

  /** Stores a delivery until it is released. The same one, added again, is stored once. */
  async add(delivery: Delivery): Promise<void> {
    await this.#client.send(
      new PutCommand({
        TableName: this.#tableName,
        Item: { ...keyOf(delivery), message: JSON.stringify(delivery) },
      }),
    );
  }

  /**
   * Pages of the deliveries of a partition that are due before a moment, the earliest first.
   *
   * @param partition from 0, less than {@link PARTITIONS}
   */
  async *dueBefore(moment: Date, partition: number): AsyncGenerator<readonly DueDelivery[]> {
    const pages = paginateQuery(
      { client: this.#client, pageSize: PAGE },
      {
        TableName: this.#tableName,
        KeyConditionExpression: "pk = :pk AND sk < :moment",
        ExpressionAttributeValues: { ":pk": partitionKey(partition), ":moment": moment.toISOString() },
        // An eventually consistent read may return deliveries that have been removed.
        ConsistentRead: true,
      },
    );
    for await (const { Items = [] } of pages) {
      if (Items.length > 0) {
        yield Items.map(({ pk, sk, message }): DueDelivery => ({ key: { pk, sk }, message }));
      }
    }
  }

  /** Removes up to a page of deliveries. What DynamoDB leaves unprocessed is still due. */
  async remove(deliveries: readonly DueDelivery[]): Promise<void> {
    const batches = Array.from({ length: Math.ceil(deliveries.length / BATCH) }, (_, batch) =>
      deliveries.slice(batch * BATCH, (batch + 1) * BATCH),
    );
    await Promise.all(
      batches.map((batch) => {
        const requests = batch.map(({ key }) => ({ DeleteRequest: { Key: key } }));
        return this.#client.send(new BatchWriteCommand({ RequestItems: { [this.#tableName]: requests } }));
      }),
    );
  }
}

function keyOf({ dueAt, endpointId, eventId, attempt }: Delivery) {
  return {
    // The milliseconds of a moment spread deliveries evenly, and are the same when a request is repeated.
    pk: partitionKey(Date.parse(dueAt) % PARTITIONS),
    sk: `${dueAt}#${endpointId}#${eventId}#${attempt}`,
  };
}

function partitionKey(partition: number): string {
  return `WAITING#${partition}`;
}
