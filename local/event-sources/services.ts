import type { DynamoDBStreamsClient } from "@aws-sdk/client-dynamodb-streams";
import type { SQSClient } from "@aws-sdk/client-sqs";
import type { Checkpoints } from "./checkpoints.ts";
import type { StreamRecord } from "./stream-record.ts";

/** What pollers work with. */
export interface EventSourceServices {
  readonly streams: DynamoDBStreamsClient;
  readonly sqs: SQSClient;
  /** Where the queues are reached, as `http://host:port`. */
  readonly queuesUrl: string;
  readonly checkpoints: Checkpoints;
  /** Called with each record that is read from a stream, before any filter; some twice after a fault. */
  readonly onStreamRecord?: ((record: StreamRecord) => void) | undefined;
  /** Called with a fault of the local stack's own, such as an engine that does not respond. */
  onFault(error: unknown): void;
}
