import { SQSClient } from "@aws-sdk/client-sqs";
import { clientDefaults, onceOnly } from "#runtime/client-defaults";
import type { Runtime } from "#runtime/runtime";

/** Where a function runs that reaches queues. */
export interface WithQueues extends Runtime {
  readonly sqsClient: SQSClient;
}

/** One client per process. */
export const sqsClient = new SQSClient(clientDefaults);

/** Sends each message once: one whose response was lost may have been taken, and would be there twice. */
export const sendOnceClient = new SQSClient(onceOnly);
