import type { DynamoDBStreamsClient } from "@aws-sdk/client-dynamodb-streams";
import * as z from "zod/mini";
import type { WithTable } from "#runtime/dynamodb";
import { readEnvironment } from "#runtime/environment";
import type { WithQueues } from "#runtime/sqs";
import type { DeadLetterQueue } from "#webhooks/dead-letters/dead-letter-commands";
import { DeadLetters } from "#webhooks/dead-letters/dead-letters";
import type { RedriveService } from "#webhooks/dead-letters/redrive";
import { retryQueueOf } from "#webhooks/delivery/composition";
import { webhookEndpointsOf } from "#webhooks/endpoints/composition";
import { eventFeedOf } from "#webhooks/feed/composition";
import { RecentIds } from "#webhooks/feed/recent-ids";

const QUEUES = {
  DEAD_LETTER_QUEUE_URL: z.url(),
  UNREADABLE_EVENTS_QUEUE_URL: z.url(),
  UNSWEPT_PARTS_QUEUE_URL: z.url(),
};

/** The deployment's dead letters, by queue. */
export function deadLettersOf({
  sqsClient,
  variables,
}: WithQueues): Readonly<Record<DeadLetterQueue, DeadLetters>> {
  const environment = readEnvironment(QUEUES, variables);
  return {
    deliveries: new DeadLetters(sqsClient, environment.DEAD_LETTER_QUEUE_URL),
    events: new DeadLetters(sqsClient, environment.UNREADABLE_EVENTS_QUEUE_URL),
    sweeps: new DeadLetters(sqsClient, environment.UNSWEPT_PARTS_QUEUE_URL),
  };
}

/** The runtime of a redrive: the stream still has the records of a failed batch. */
export type RedriveDependencies = WithTable & WithQueues & { readonly streams: DynamoDBStreamsClient };

/** The events that a redrive remembers: those of two hundred letters of ten batches each, some twenty megabytes. */
const REDRIVEN = 200_000;

/** The dependencies for redriving the deployment's deliveries and events. */
export function redriveServiceOf(dependencies: RedriveDependencies): RedriveService {
  return {
    streams: dependencies.streams,
    feed: eventFeedOf(dependencies),
    endpoints: webhookEndpointsOf(dependencies),
    queue: retryQueueOf(dependencies),
    published: new RecentIds(REDRIVEN),
    now: dependencies.now,
    wait: dependencies.wait,
  };
}
