import { SQSClient } from "@aws-sdk/client-sqs";
import { clientDefaults, onceOnly } from "#aws/client-defaults";

/** One client per process. */
export const sqsClient = new SQSClient(clientDefaults);

/** Sends each message once: one whose response was lost may have been taken, and would be there twice. */
export const sendOnceClient = new SQSClient(onceOnly);
