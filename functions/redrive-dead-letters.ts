import { DynamoDBStreamsClient } from "@aws-sdk/client-dynamodb-streams";
import * as z from "zod/mini";
import { clientDefaults } from "#aws/client-defaults";
import { readEnvironment } from "#aws/environment";
import { privateFunction } from "#aws/private-function";
import { sqsClient } from "#aws/sqs";
import { DeadLetters } from "#webhooks/dead-letters";
import { deliveryQueue } from "#webhooks/deliveries";
import { RedriveDeadLetters } from "#webhooks/delivery-commands";
import { type Redriving, redriveDelivery, redriveEvents } from "#webhooks/redrive";
import { webhookEndpoints } from "#webhooks/webhook-endpoints";

const environment = readEnvironment({
  DEAD_LETTER_QUEUE_URL: z.url(),
  UNREADABLE_EVENTS_QUEUE_URL: z.url(),
});
const deliveries = new DeadLetters(sqsClient, environment.DEAD_LETTER_QUEUE_URL);
const events = new DeadLetters(sqsClient, environment.UNREADABLE_EVENTS_QUEUE_URL);
const service: Redriving = {
  streams: new DynamoDBStreamsClient(clientDefaults),
  endpoints: webhookEndpoints,
  queue: deliveryQueue,
  now: () => new Date(),
};
/** How many letters one invocation puts back, well within its time-out. */
const BATCH = 200;

export const handler = privateFunction({
  input: RedriveDeadLetters,
  run: ({ queue }) =>
    queue === "deliveries"
      ? deliveries.redrive(BATCH, (body) => redriveDelivery(body, service))
      : events.redrive(BATCH, (body) => redriveEvents(body, service)),
});
