import middy from "@middy/core";
import type { DynamoDBBatchResponse, DynamoDBStreamEvent } from "aws-lambda";
import * as z from "zod/mini";
import { readEnvironment } from "#aws/environment";
import { logger } from "#aws/logger";
import { sqsClient } from "#aws/sqs";
import { marked } from "#aws/tracer";
import { deliveryQueue } from "#webhooks/deliveries";
import { type OutboxRecord, publish } from "#webhooks/publish";
import { UnreadableEvents } from "#webhooks/unreadable-events";
import { webhookEndpoints } from "#webhooks/webhook-endpoints";

const environment = readEnvironment({ UNREADABLE_EVENTS_QUEUE_URL: z.url() });
const unreadable = new UnreadableEvents(sqsClient, environment.UNREADABLE_EVENTS_QUEUE_URL);

export const handler = middy<DynamoDBStreamEvent, DynamoDBBatchResponse>()
  .before(({ context }) => logger.addContext(context))
  .handler(async ({ Records }) => {
    const records = Records.map(
      ({ dynamodb }): OutboxRecord => ({
        sequenceNumber: dynamodb?.SequenceNumber ?? "",
        newImage: (dynamodb?.NewImage ?? {}) as OutboxRecord["newImage"],
      }),
    );
    const failed = await publish(records, {
      endpoints: webhookEndpoints,
      queue: deliveryQueue,
      unreadable,
      now: () => new Date(),
      onAddressed(event) {
        logger.info("event", { ...event });
        marked("event", { ...event });
      },
    });
    return { batchItemFailures: failed === undefined ? [] : [{ itemIdentifier: failed }] };
  });
