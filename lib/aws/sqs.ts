import { SQSClient } from "@aws-sdk/client-sqs";

/** One client per process, with the same patience as the table's. */
export const sqsClient = new SQSClient({
  maxAttempts: 3,
  requestHandler: { connectionTimeout: 1_000, requestTimeout: 2_000, throwOnRequestTimeout: true },
});
