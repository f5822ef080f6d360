import type { ScheduledEvent } from "aws-lambda";
import { documentClient, type WithTable } from "#runtime/dynamodb";
import { lambdaHandler } from "#runtime/lambda-handler";
import { metrics } from "#runtime/metrics";
import { runtime } from "#runtime/runtime";
import { sqsClient, type WithQueues } from "#runtime/sqs";
import { releaseServiceOf } from "#webhooks/delivery/composition";
import { releaseDeliveries as release } from "#webhooks/delivery/release";

export const releaseDeliveries = (dependencies: WithTable & WithQueues) => {
  const service = releaseServiceOf(dependencies);
  return lambdaHandler<ScheduledEvent, void>().handler(async () => {
    await release(service);
    metrics.publishStoredMetrics();
  });
};

export const handler = releaseDeliveries({ ...runtime, documentClient, sqsClient });
