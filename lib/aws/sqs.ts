import { SQSClient } from "@aws-sdk/client-sqs";
import { clientDefaults } from "#aws/client-defaults";

/** One client per process. */
export const sqsClient = new SQSClient(clientDefaults);
