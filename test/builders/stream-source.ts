import type { StreamSource } from "../../local/event-sources/definition.ts";

/** A stream of which a function gets every record, and gets it again until it succeeds. */
export const STREAM_SOURCE: StreamSource = {
  kind: "stream",
  id: "Source",
  functionName: "consume",
  batchSize: 100,
  batchingWindowSeconds: 0,
  reportsItemFailures: false,
  filter: () => true,
  tableName: "table",
  streamArn: "arn:aws:dynamodb:us-east-1:000000000000:table/table/stream/local",
  startingPosition: "TRIM_HORIZON",
  bisectsOnError: false,
  maximumRetryAttempts: -1,
  maximumRecordAgeSeconds: -1,
  parallelizationFactor: 1,
  onFailure: undefined,
};
