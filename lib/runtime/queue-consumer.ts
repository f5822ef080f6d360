import type { SQSBatchResponse, SQSEvent, SQSRecord } from "aws-lambda";
import { lambdaHandler } from "#runtime/lambda-handler";
import { logger } from "#runtime/logger";
import { metrics } from "#runtime/metrics";

interface QueueConsumer {
  /** Handles one message. If it throws, only this message of the batch is received again. */
  run(message: SQSRecord): Promise<void>;
  /** The error log line for a message that fails. */
  readonly failure: string;
  /** What the line has besides the message's id: the ids by which an operator finds what failed. */
  idsOf(message: SQSRecord): Readonly<Record<string, unknown>>;
}

/** The handler of a function that consumes a queue. Handles all messages of a batch concurrently. */
export function queueConsumer({ run, failure, idsOf }: QueueConsumer) {
  return lambdaHandler<SQSEvent, SQSBatchResponse>().handler(async ({ Records }) => {
    const outcomes = await Promise.allSettled(Records.map(run));
    const batchItemFailures = outcomes.flatMap((outcome, index) => {
      const message = Records[index];
      if (outcome.status === "fulfilled" || !message) return [];
      logger.error(failure, { messageId: message.messageId, ...idsOf(message), cause: outcome.reason });
      return [{ itemIdentifier: message.messageId }];
    });
    if (metrics.hasStoredMetrics()) metrics.publishStoredMetrics();
    return { batchItemFailures };
  });
}
