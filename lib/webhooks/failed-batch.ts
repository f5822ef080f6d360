import {
  type DynamoDBStreamsClient,
  GetRecordsCommand,
  GetShardIteratorCommand,
} from "@aws-sdk/client-dynamodb-streams";
import * as z from "zod/mini";
import type { OutboxRecord } from "#webhooks/publish";

/** What Lambda sends to an on-failure destination for records of a DynamoDB stream: where they are. */
export const FailedBatch = z.object({
  DDBStreamBatchInfo: z.object({
    shardId: z.string(),
    startSequenceNumber: z.string(),
    endSequenceNumber: z.string(),
    streamArn: z.string(),
  }),
});
export type FailedBatch = z.infer<typeof FailedBatch>;

/**
 * Reads the records of a failed batch again, those that fired an event. The stream keeps them 24 hours.
 *
 * @throws TrimmedDataAccessException when they are gone
 */
export async function readFailedBatch(
  client: DynamoDBStreamsClient,
  { DDBStreamBatchInfo: { shardId, startSequenceNumber, endSequenceNumber, streamArn } }: FailedBatch,
): Promise<OutboxRecord[]> {
  const records: OutboxRecord[] = [];
  const last = BigInt(endSequenceNumber);
  let { ShardIterator } = await client.send(
    new GetShardIteratorCommand({
      StreamArn: streamArn,
      ShardId: shardId,
      ShardIteratorType: "AT_SEQUENCE_NUMBER",
      SequenceNumber: startSequenceNumber,
    }),
  );
  while (ShardIterator) {
    const page = await client.send(new GetRecordsCommand({ ShardIterator }));
    for (const { dynamodb } of page.Records ?? []) {
      const sequenceNumber = dynamodb?.SequenceNumber ?? "0";
      if (BigInt(sequenceNumber) > last) return records;
      if (dynamodb?.NewImage?.["event"]) records.push({ sequenceNumber, newImage: dynamodb.NewImage });
      if (BigInt(sequenceNumber) === last) return records;
    }
    ShardIterator = page.NextShardIterator;
  }
  return records;
}
