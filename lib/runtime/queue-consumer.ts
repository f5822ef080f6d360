import type { SQSBatchResponse, SQSEvent, SQSRecord } from "aws-lambda";
import { lambdaHandler } from "#runtime/lambda-handler";
import { metrics } from "#runtime/metrics";

/**
 * The handler of a function that consumes a queue. Handles all messages of a batch concurrently.
 *
 * @param run handles one message. It logs failures. If it throws, only this message of the batch is received again
 */
export function queueConsumer(run: (message: SQSRecord) => Promise<void>) {
  return lambdaHandler<SQSEvent, SQSBatchResponse>().handler(async ({ Records }) => {
    const outcomes = await Promise.allSettled(Records.map(run));
    const failed = Records.filter((_, index) => outcomes[index]?.status === "rejected");
    if (metrics.hasStoredMetrics()) metrics.publishStoredMetrics();
    return { batchItemFailures: failed.map(({ messageId }) => ({ itemIdentifier: messageId })) };
  });
}
