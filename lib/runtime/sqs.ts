import { SQSClient } from "@aws-sdk/client-sqs";
import { clientDefaults } from "#runtime/client-defaults";
import { onceOnly } from "#runtime/once-only";
import type { Runtime } from "#runtime/runtime";

/** The runtime of a function that accesses queues. */
export interface WithQueues extends Runtime {
  readonly sqsClient: SQSClient;
}

/** One client per process. */
export const sqsClient = new SQSClient(clientDefaults);

/**
 * Sends each message once, unless the connection breaks. If a response is lost, the message may be in the queue, and a
 * retry would duplicate it.
 */
export const sendOnceClient = new SQSClient(onceOnly);
