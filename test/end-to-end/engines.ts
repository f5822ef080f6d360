import { DynamoDBClient, ListTablesCommand } from "@aws-sdk/client-dynamodb";
import {
  type _Record,
  DescribeStreamCommand,
  DynamoDBStreamsClient,
  GetRecordsCommand,
  GetShardIteratorCommand,
  ListStreamsCommand,
} from "@aws-sdk/client-dynamodb-streams";
import { ListQueuesCommand, SendMessageCommand, SQSClient } from "@aws-sdk/client-sqs";
import {
  DeleteCommand,
  DynamoDBDocumentClient,
  GetCommand,
  PutCommand,
  paginateScan,
} from "@aws-sdk/lib-dynamodb";
import { inject } from "vitest";
import { unpackMember } from "#candidates/store/item/member-codec";
import { inParallel } from "#runtime/in-parallel";

interface Key {
  readonly pk: string;
  readonly sk: string;
}
type Item = Readonly<Record<string, unknown>>;

/** The table beneath the API, as it is stored. */
export async function rawTable() {
  const { dynamoDbEndpoint, region, credentials } = inject("engines");
  const client = new DynamoDBClient({ endpoint: dynamoDbEndpoint, region, credentials });
  const { TableNames: [tableName] = [] } = await client.send(new ListTablesCommand({}));
  if (!tableName) throw new Error("The stack has a table.");
  const document = DynamoDBDocumentClient.from(client);
  return {
    tableName,
    document,
    put: (item: Item) => document.send(new PutCommand({ TableName: tableName, Item: item })),
    remove: ({ pk, sk }: Key) => document.send(new DeleteCommand({ TableName: tableName, Key: { pk, sk } })),
    async read({ pk, sk }: Key): Promise<Item | undefined> {
      const read = new GetCommand({ TableName: tableName, Key: { pk, sk }, ConsistentRead: true });
      return (await document.send(read)).Item;
    },
    /** Every item, with the text of all it contains, its bytes too. */
    async itemsAsText(): Promise<{ readonly item: Record<string, unknown>; readonly text: string }[]> {
      const items: { item: Record<string, unknown>; text: string }[] = [];
      for await (const { Items = [] } of paginateScan({ client: document }, { TableName: tableName })) {
        items.push(...Items.map((item) => ({ item, text: readable(item) })));
      }
      return items;
    },
  };
}

function readable(item: object): string {
  return JSON.stringify(
    Object.fromEntries(Object.entries(item).map(([name, value]) => [name, readBytes(value)])),
  );
}

function readBytes(value: unknown): unknown {
  try {
    return unpackMember(value);
  } catch {
    return value instanceof Uint8Array ? Buffer.from(value).toString("latin1") : value;
  }
}

/** The write that fired an event. */
export function thatFired(eventId: string): (record: _Record) => boolean {
  return ({ dynamodb }) => dynamodb?.NewImage?.["event"]?.M?.["id"]?.S === eventId;
}

/** Where in the table's stream a write is. */
export interface StreamPosition {
  readonly streamArn: string;
  readonly shardId: string;
  readonly sequenceNumber: string | undefined;
}

/** The writes to the table from now on: those before it are megabytes. */
export async function writesFromNow() {
  const { dynamoDbEndpoint, region, credentials } = inject("engines");
  const client = new DynamoDBStreamsClient({ endpoint: dynamoDbEndpoint, region, credentials });
  const { Streams: [{ StreamArn: streamArn = "" } = {}] = [] } = await client.send(
    new ListStreamsCommand({}),
  );
  const { StreamDescription } = await client.send(new DescribeStreamCommand({ StreamArn: streamArn }));
  const shards = await inParallel(StreamDescription?.Shards ?? [], 8, async ({ ShardId: shardId = "" }) => {
    const { ShardIterator } = await client.send(
      new GetShardIteratorCommand({
        StreamArn: streamArn,
        ShardId: shardId,
        ShardIteratorType: "LATEST",
      }),
    );
    return { shardId, first: ShardIterator };
  });
  return {
    /** The position of a write that has been made since. */
    async positionOf(isSought: (record: _Record) => boolean): Promise<StreamPosition> {
      for (const { shardId, first } of shards) {
        let ShardIterator = first;
        while (ShardIterator) {
          const { Records = [], NextShardIterator } = await client.send(
            new GetRecordsCommand({ ShardIterator }),
          );
          const record = Records.find(isSought);
          if (record) return { streamArn, shardId, sequenceNumber: record.dynamodb?.SequenceNumber };
          ShardIterator = Records.length > 0 ? NextShardIterator : undefined;
        }
      }
      throw new Error("The stream has no such write.");
    },
  };
}

/** A queue beneath the API, by a part of its name. */
export async function rawQueue(part: string) {
  const { queuesEndpoint, region, credentials } = inject("engines");
  const client = new SQSClient({ endpoint: queuesEndpoint, region, credentials });
  const { QueueUrls = [] } = await client.send(new ListQueuesCommand({}));
  const url = QueueUrls.find((candidate) => candidate.includes(part));
  if (!url) throw new Error(`The stack has a queue ${part}.`);
  return {
    client,
    url,
    send: (text: string) => client.send(new SendMessageCommand({ QueueUrl: url, MessageBody: text })),
  };
}
