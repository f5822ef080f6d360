import { randomUUID } from "node:crypto";
import type { StreamSource } from "./definition.ts";
import type { DiscardedRecords } from "./stream-delivery.ts";
import type { StreamRecord } from "./stream-record.ts";

interface FailedBatch extends DiscardedRecords {
  readonly source: Pick<StreamSource, "streamArn">;
  readonly functionArn: string;
  readonly shardId: string;
}

/**
 * The metadata about discarded records that Lambda sends to a source's on-failure destination (Lambda developer guide,
 * "Retaining records of failed batches").
 */
export function failedBatchMessage({
  source,
  functionArn,
  shardId,
  records,
  condition,
  invocations,
}: FailedBatch) {
  const [first, last] = [records.at(0), records.at(-1)];
  return {
    requestContext: { requestId: randomUUID(), functionArn, condition, approximateInvokeCount: invocations },
    responseContext: { statusCode: 200, executedVersion: "$LATEST", functionError: "Unhandled" },
    version: "1.0",
    timestamp: new Date().toISOString(),
    DDBStreamBatchInfo: {
      shardId,
      startSequenceNumber: first?.dynamodb.SequenceNumber,
      endSequenceNumber: last?.dynamodb.SequenceNumber,
      approximateArrivalOfFirstRecord: arrivalOf(first),
      approximateArrivalOfLastRecord: arrivalOf(last),
      batchSize: records.length,
      streamArn: source.streamArn,
    },
  };
}

function arrivalOf(record: StreamRecord | undefined): string {
  return new Date((record?.dynamodb.ApproximateCreationDateTime ?? 0) * 1000).toISOString();
}
