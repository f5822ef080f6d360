import type { DynamoDBBatchResponse, DynamoDBStreamEvent } from "aws-lambda";
import * as z from "zod/mini";
import { documentClient, type WithTable } from "#aws/dynamodb";
import { readEnvironment } from "#aws/environment";
import { lambdaHandler } from "#aws/lambda-handler";
import { logger } from "#aws/logger";
import { runtime } from "#aws/runtime";
import { sqsClient, type WithQueues } from "#aws/sqs";
import { deliveryQueueOf } from "#webhooks/deliveries";
import { type OutboxRecord, publish } from "#webhooks/publish";
import { UnreadableEvents } from "#webhooks/unreadable-events";
import { webhookEndpointsOf } from "#webhooks/webhook-endpoints";

export const publishEvents = (surroundings: WithTable & WithQueues) => {
  const environment = readEnvironment({ UNREADABLE_EVENTS_QUEUE_URL: z.url() }, surroundings.variables);
  const service = {
    endpoints: webhookEndpointsOf(surroundings),
    queue: deliveryQueueOf(surroundings),
    unreadable: new UnreadableEvents(surroundings.sqsClient, environment.UNREADABLE_EVENTS_QUEUE_URL),
    now: surroundings.now,
  };
  return lambdaHandler<DynamoDBStreamEvent, DynamoDBBatchResponse>()
    .before(({ context }) => logger.addContext(context))
    .handler(async ({ Records }) => {
      const records = Records.map(
        ({ dynamodb }): OutboxRecord => ({
          sequenceNumber: dynamodb?.SequenceNumber ?? "",
          newImage: (dynamodb?.NewImage ?? {}) as OutboxRecord["newImage"],
        }),
      );
      const failed = await publish(records, {
        ...service,
        onAddressed: (event) => logger.info("event", { ...event }),
      });
      return { batchItemFailures: failed === undefined ? [] : [{ itemIdentifier: failed }] };
    });
};

export const handler = publishEvents({ ...runtime, documentClient, sqsClient });
