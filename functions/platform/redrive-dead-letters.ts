import { DynamoDBStreamsClient } from "@aws-sdk/client-dynamodb-streams";
import * as z from "zod/mini";
import { PartSweep } from "#candidates/store/large/part-sweep";
import { redriveSweeps } from "#candidates/store/large/part-sweep-redrive";
import { clientDefaults } from "#runtime/client-defaults";
import { documentClient, type WithTable } from "#runtime/dynamodb";
import { readEnvironment, TableName } from "#runtime/environment";
import { privateFunction } from "#runtime/private-function";
import { runtime } from "#runtime/runtime";
import { sqsClient, type WithQueues } from "#runtime/sqs";
import { RedriveDeadLetters } from "#webhooks/dead-letters/dead-letter-commands";
import { DeadLetters } from "#webhooks/dead-letters/dead-letters";
import { type RedriveService, redriveDelivery, redriveEvents } from "#webhooks/dead-letters/redrive";
import { retryQueueOf } from "#webhooks/delivery/composition";
import { webhookEndpointsOf } from "#webhooks/endpoints/composition";
import { eventFeedOf } from "#webhooks/feed/composition";

const ENVIRONMENT = {
  TABLE_NAME: TableName,
  DEAD_LETTER_QUEUE_URL: z.url(),
  UNREADABLE_EVENTS_QUEUE_URL: z.url(),
  UNSWEPT_PARTS_QUEUE_URL: z.url(),
};
/** The most dead letters that one invocation redrives: few enough for its timeout. */
const BATCH = 200;

export const redriveDeadLetters = (
  surroundings: WithTable & WithQueues & { readonly streams: DynamoDBStreamsClient },
) => {
  const { documentClient, sqsClient, streams, now, wait } = surroundings;
  const environment = readEnvironment(ENVIRONMENT, surroundings.variables);
  const deliveries = new DeadLetters(sqsClient, environment.DEAD_LETTER_QUEUE_URL);
  const events = new DeadLetters(sqsClient, environment.UNREADABLE_EVENTS_QUEUE_URL);
  const sweeps = new DeadLetters(sqsClient, environment.UNSWEPT_PARTS_QUEUE_URL);
  const parts = new PartSweep(documentClient, environment.TABLE_NAME);
  const service: RedriveService = {
    streams,
    feed: eventFeedOf(surroundings),
    endpoints: webhookEndpointsOf(surroundings),
    queue: retryQueueOf(surroundings),
    now,
    wait,
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
