import { DeleteCommand, type DynamoDBDocumentClient, PutCommand, paginateQuery } from "@aws-sdk/lib-dynamodb";
import type { Delivery } from "#webhooks/delivery/delivery";

/**
 * The number of partition keys that waiting deliveries are spread over. Each accepts 1,000 writes a second (Amazon
 * DynamoDB developer guide, "Best practices for designing and using partition keys effectively").
 */
const PARTITIONS = 10;

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

  async add(delivery: Delivery): Promise<void> {
    await this.#client.send(
      new PutCommand({
        TableName: this.#tableName,
        Item: { ...keyOf(delivery), message: JSON.stringify(delivery) },
      }),
    );
  }

  /** Pages of the deliveries that are due before a moment, the earliest of each partition first. */
  async *dueBefore(moment: Date): AsyncGenerator<readonly DueDelivery[]> {
    for (let partition = 0; partition < PARTITIONS; partition += 1) {
      const pages = paginateQuery(
        { client: this.#client },
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
  }

  async remove({ key }: DueDelivery): Promise<void> {
    await this.#client.send(new DeleteCommand({ TableName: this.#tableName, Key: key }));
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
