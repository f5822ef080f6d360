import type { DynamoDBClient } from "@aws-sdk/client-dynamodb";
import type { DynamoDBStreamsClient } from "@aws-sdk/client-dynamodb-streams";
import type { SQSClient } from "@aws-sdk/client-sqs";
import type { Checkpoints } from "./checkpoints.ts";
import type { StreamRecord } from "./stream-record.ts";

/** What pollers work with. */
export interface EventSourceServices {
  readonly dynamodb: DynamoDBClient;
  readonly streams: DynamoDBStreamsClient;
  readonly sqs: SQSClient;
  /** Where the queues answer, as `http://host:port`. */
  readonly queuesUrl: string;
  readonly checkpoints: Checkpoints;
  /** Told each record that is read from a stream, before any filter; some twice after a fault. */
  readonly onStreamRecord?: ((record: StreamRecord) => void) | undefined;
  /** Tells of a fault of the local stack's own, such as an engine that does not answer. */
  onFault(error: unknown): void;
}
