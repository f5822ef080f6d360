import { DynamoDBStreamsClient } from "@aws-sdk/client-dynamodb-streams";
import * as z from "zod/mini";
import { clientDefaults } from "#aws/client-defaults";
import { documentClient } from "#aws/dynamodb";
import { readEnvironment, TableName } from "#aws/environment";
import { privateFunction } from "#aws/private-function";
import { sqsClient } from "#aws/sqs";
import { PartSweep } from "#candidates/part-sweep";
import { redriveSweeps } from "#candidates/part-sweep-redrive";
import { DeadLetters } from "#webhooks/dead-letters";
import { deliveryQueue } from "#webhooks/deliveries";
import { RedriveDeadLetters } from "#webhooks/delivery-commands";
import { type Redriving, redriveDelivery, redriveEvents } from "#webhooks/redrive";
import { webhookEndpoints } from "#webhooks/webhook-endpoints";

const environment = readEnvironment({
  TABLE_NAME: TableName,
  DEAD_LETTER_QUEUE_URL: z.url(),
  UNREADABLE_EVENTS_QUEUE_URL: z.url(),
  UNSWEPT_PARTS_QUEUE_URL: z.url(),
});
const deliveries = new DeadLetters(sqsClient, environment.DEAD_LETTER_QUEUE_URL);
const events = new DeadLetters(sqsClient, environment.UNREADABLE_EVENTS_QUEUE_URL);
const sweeps = new DeadLetters(sqsClient, environment.UNSWEPT_PARTS_QUEUE_URL);
const streams = new DynamoDBStreamsClient(clientDefaults);
const parts = new PartSweep(documentClient, environment.TABLE_NAME);
const service: Redriving = {
  streams,
  endpoints: webhookEndpoints,
  queue: deliveryQueue,
  now: () => new Date(),
};
/** How many letters one invocation puts back, well within its time-out. */
const BATCH = 200;

export const handler = privateFunction({
  input: RedriveDeadLetters,
  run({ queue }) {
    switch (queue) {
      case "deliveries":
        return deliveries.redrive(BATCH, (body) => redriveDelivery(body, service));
      case "events":
        return events.redrive(BATCH, (body) => redriveEvents(body, service));
      case "sweeps":
        return sweeps.redrive(BATCH, (body) => redriveSweeps(body, { streams, parts }));
    }
  },
});
