import {
  type _Record,
  type DynamoDBStreamsClient,
  GetRecordsCommand,
  GetShardIteratorCommand,
} from "@aws-sdk/client-dynamodb-streams";
import * as z from "zod/mini";

/** What Lambda sends to the on-failure destination of a DynamoDB stream: the position of the records. */
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
 * Reads the records of the stream from the first of a failed batch to its last. The stream keeps them for 24 hours.
 *
 * @param isWanted selects the records that pass the event source's filter; the many others are discarded
 * @throws TrimmedDataAccessException if the stream no longer has them
 */
export async function readFailedBatch(
  client: DynamoDBStreamsClient,
  { DDBStreamBatchInfo: { shardId, startSequenceNumber, endSequenceNumber, streamArn } }: FailedBatch,
  isWanted: (record: _Record) => boolean,
): Promise<_Record[]> {
  const records: _Record[] = [];
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
    for (const record of page.Records ?? []) {
      const sequenceNumber = BigInt(record.dynamodb?.SequenceNumber ?? 0);
      if (sequenceNumber > last) return records;
      if (isWanted(record)) records.push(record);
      if (sequenceNumber === last) return records;
    }
    ShardIterator = page.NextShardIterator;
  }
  return records;
}
