import { DynamoDBStreamsClient } from "@aws-sdk/client-dynamodb-streams";
import * as z from "zod/mini";
import { clientDefaults } from "#aws/client-defaults";
import { documentClient, type WithTable } from "#aws/dynamodb";
import { readEnvironment, TableName } from "#aws/environment";
import { privateFunction } from "#aws/private-function";
import { runtime } from "#aws/runtime";
import { sqsClient, type WithQueues } from "#aws/sqs";
import { PartSweep } from "#candidates/part-sweep";
import { redriveSweeps } from "#candidates/part-sweep-redrive";
import { DeadLetters } from "#webhooks/dead-letters";
import { deliveryQueueOf } from "#webhooks/deliveries";
import { RedriveDeadLetters } from "#webhooks/delivery-commands";
import { type Redriving, redriveDelivery, redriveEvents } from "#webhooks/redrive";
import { webhookEndpointsOf } from "#webhooks/webhook-endpoints";

const ENVIRONMENT = {
  TABLE_NAME: TableName,
  DEAD_LETTER_QUEUE_URL: z.url(),
  UNREADABLE_EVENTS_QUEUE_URL: z.url(),
  UNSWEPT_PARTS_QUEUE_URL: z.url(),
};
/** How many letters one invocation puts back, well within its time-out. */
const BATCH = 200;

export const redriveDeadLetters = (
  surroundings: WithTable & WithQueues & { readonly streams: DynamoDBStreamsClient },
) => {
  const { documentClient, sqsClient, streams, now } = surroundings;
  const environment = readEnvironment(ENVIRONMENT, surroundings.variables);
  const deliveries = new DeadLetters(sqsClient, environment.DEAD_LETTER_QUEUE_URL);
  const events = new DeadLetters(sqsClient, environment.UNREADABLE_EVENTS_QUEUE_URL);
  const sweeps = new DeadLetters(sqsClient, environment.UNSWEPT_PARTS_QUEUE_URL);
  const parts = new PartSweep(documentClient, environment.TABLE_NAME);
  const service: Redriving = {
    streams,
    endpoints: webhookEndpointsOf(surroundings),
    queue: deliveryQueueOf(surroundings),
    now,
  };
  return privateFunction({
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
};

export const handler = redriveDeadLetters({
  ...runtime,
  documentClient,
  sqsClient,
  streams: new DynamoDBStreamsClient(clientDefaults),
});
