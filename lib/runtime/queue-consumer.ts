import type { SQSBatchResponse, SQSEvent, SQSRecord } from "aws-lambda";
import { lambdaHandler } from "#runtime/lambda-handler";
import { logger } from "#runtime/logger";
import { metrics } from "#runtime/metrics";

interface QueueConsumer {
  /** Handles one message. If it throws, only this message of the batch is received again. */
  run(message: SQSRecord): Promise<void>;
  /** The error log line for a message that fails. */
  readonly failure: string;
}

/** The handler of a function that consumes a queue. Handles all messages of a batch concurrently. */
export function queueConsumer({ run, failure }: QueueConsumer) {
  return lambdaHandler<SQSEvent, SQSBatchResponse>()
    .before(({ context }) => logger.addContext(context))
    .handler(async ({ Records }) => {
      const outcomes = await Promise.allSettled(Records.map(run));
      const batchItemFailures = outcomes.flatMap((outcome, index) => {
        const itemIdentifier = Records[index]?.messageId;
        if (outcome.status === "fulfilled" || !itemIdentifier) return [];
        logger.error(failure, { messageId: itemIdentifier, cause: outcome.reason });
        return [{ itemIdentifier }];
      });
      if (metrics.hasStoredMetrics()) metrics.publishStoredMetrics();
      return { batchItemFailures };
    });
}
