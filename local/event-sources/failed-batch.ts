import { randomUUID } from "node:crypto";
import type { DiscardedRecords } from "./stream-delivery.ts";
import type { StreamRecord } from "./stream-record.ts";

interface FailedBatch extends DiscardedRecords {
  /** The engine's own: the template's names no stream from which the records could be read again. */
  readonly streamArn: string;
  readonly functionArn: string;
  readonly shardId: string;
}

/**
 * The metadata about discarded records that Lambda sends to a source's on-failure destination (Lambda developer guide,
 * "Retaining records of failed batches").
 */
export function failedBatchMessage({
  streamArn,
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
      streamArn,
    },
  };
}

function arrivalOf(record: StreamRecord | undefined): string {
  return new Date((record?.dynamodb.ApproximateCreationDateTime ?? 0) * 1000).toISOString();
}
