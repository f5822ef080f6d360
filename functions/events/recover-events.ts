import type { SQSBatchResponse, SQSEvent } from "aws-lambda";
import { documentClient, type WithTable } from "#runtime/dynamodb";
import { lambdaHandler } from "#runtime/lambda-handler";
import { runtime } from "#runtime/runtime";
import { sqsClient, type WithQueues } from "#runtime/sqs";
import { recoverServiceOf } from "#webhooks/recoveries/composition";
import { recover } from "#webhooks/recoveries/recover";

/**
 * A recovery that has not ended is reported as a failed message, so that it is received again. A fault fails the
 * invocation, which its alarm counts.
 */
export const recoverEvents = (dependencies: WithTable & WithQueues) => {
  const service = recoverServiceOf(dependencies);
  return lambdaHandler<SQSEvent, SQSBatchResponse>().handler(async ({ Records }) => {
    const hasEnded = await Promise.all(Records.map((message) => recover(message, service)));
    const unfinished = Records.filter((_, index) => !hasEnded[index]);
    return { batchItemFailures: unfinished.map(({ messageId }) => ({ itemIdentifier: messageId })) };
  });
};

export const handler = recoverEvents({ ...runtime, documentClient, sqsClient });
