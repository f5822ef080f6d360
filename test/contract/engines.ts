import { DynamoDBClient, ListTablesCommand } from "@aws-sdk/client-dynamodb";
import {
  type _Record,
  DescribeStreamCommand,
  DynamoDBStreamsClient,
  GetRecordsCommand,
  GetShardIteratorCommand,
  ListStreamsCommand,
} from "@aws-sdk/client-dynamodb-streams";
import { ListQueuesCommand, SQSClient } from "@aws-sdk/client-sqs";
import { DynamoDBDocumentClient, paginateScan } from "@aws-sdk/lib-dynamodb";
import { inject } from "vitest";
import { unpackMember } from "#candidates/store/item/member-codec";

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
    /** Every item that mentions a text anywhere, in its bytes too. */
    async itemsThatMention(text: string): Promise<Record<string, unknown>[]> {
      const found: Record<string, unknown>[] = [];
      for await (const { Items = [] } of paginateScan({ client: document }, { TableName: tableName })) {
        found.push(...Items.filter((item) => readable(item).includes(text)));
      }
      return found;
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
export async function positionOf(isSought: (record: _Record) => boolean) {
  const { dynamoDbEndpoint, region, credentials } = inject("engines");
  const client = new DynamoDBStreamsClient({ endpoint: dynamoDbEndpoint, region, credentials });
  const { Streams: [{ StreamArn: streamArn = "" } = {}] = [] } = await client.send(
    new ListStreamsCommand({}),
  );
  const { StreamDescription } = await client.send(new DescribeStreamCommand({ StreamArn: streamArn }));
  for (const { ShardId: shardId = "" } of StreamDescription?.Shards ?? []) {
    let { ShardIterator } = await client.send(
      new GetShardIteratorCommand({
        StreamArn: streamArn,
        ShardId: shardId,
        ShardIteratorType: "TRIM_HORIZON",
      }),
    );
    while (ShardIterator) {
      const { Records = [], NextShardIterator } = await client.send(new GetRecordsCommand({ ShardIterator }));
      const record = Records.find(isSought);
      if (record) return { streamArn, shardId, sequenceNumber: record.dynamodb?.SequenceNumber };
      ShardIterator = Records.length > 0 ? NextShardIterator : undefined;
    }
  }
  throw new Error(`The stream has no such write.`);
}

/** A queue beneath the API, by a part of its name. */
export async function rawQueue(part: string) {
  const { queuesEndpoint, region, credentials } = inject("engines");
  const client = new SQSClient({ endpoint: queuesEndpoint, region, credentials });
  const { QueueUrls = [] } = await client.send(new ListQueuesCommand({}));
  const url = QueueUrls.find((candidate) => candidate.includes(part));
  if (!url) throw new Error(`The stack has a queue ${part}.`);
  return { client, url };
}
