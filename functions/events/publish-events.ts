import type { DynamoDBBatchResponse, DynamoDBStreamEvent } from "aws-lambda";
import * as z from "zod/mini";
import type { OutboxRecord } from "#candidates/outbox/outbox";
import { documentClient, type WithTable } from "#runtime/dynamodb";
import { readEnvironment } from "#runtime/environment";
import { lambdaHandler } from "#runtime/lambda-handler";
import { logger } from "#runtime/logger";
import { runtime } from "#runtime/runtime";
import { sqsClient, type WithQueues } from "#runtime/sqs";
import { deliveryQueueOf } from "#webhooks/delivery/deliveries";
import { publish } from "#webhooks/delivery/publish";
import { UnreadableEvents } from "#webhooks/delivery/unreadable-events";
import { webhookEndpointsOf } from "#webhooks/endpoints/webhook-endpoints";

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
