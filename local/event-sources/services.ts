import type { DynamoDBStreamsClient } from "@aws-sdk/client-dynamodb-streams";
import type { SQSClient } from "@aws-sdk/client-sqs";
import type { Processors } from "../lambda/processors.ts";
import type { DirectQueues } from "../sqs/direct-queues.ts";
import type { Checkpoints } from "./checkpoints.ts";
import type { StreamRecord } from "./stream-record.ts";

/** The services that pollers use. */
export interface EventSourceServices {
  readonly streams: DynamoDBStreamsClient;
  readonly sqs: SQSClient;
  /** The base URL of the queues, for example `http://host:port`. */
  readonly queuesEndpoint: string;
  readonly queues: DirectQueues;
  readonly checkpoints: Checkpoints;
  readonly processors: Pick<Processors, "areBusy">;
  /** Called with each record read from a stream, before any filter. After a fault it may repeat records. */
  readonly onStreamRecord?: ((record: StreamRecord) => void) | undefined;
  /** Called with faults of the local stack itself, such as an engine that does not respond. */
  onFault(error: unknown): void;
}
