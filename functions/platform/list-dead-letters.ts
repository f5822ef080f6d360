import * as z from "zod/mini";
import { readEnvironment } from "#runtime/environment";
import { privateFunction } from "#runtime/private-function";
import { runtime } from "#runtime/runtime";
import { sqsClient, type WithQueues } from "#runtime/sqs";
import type { DeadLetterList } from "#webhooks/dead-letters/dead-letter-commands";
import {
  describeDeadDelivery,
  describeUnpublished,
  describeUnswept,
} from "#webhooks/dead-letters/dead-letter-summary";
import { DeadLetters } from "#webhooks/dead-letters/dead-letters";

const QUEUES = {
  DEAD_LETTER_QUEUE_URL: z.url(),
  UNREADABLE_EVENTS_QUEUE_URL: z.url(),
  UNSWEPT_PARTS_QUEUE_URL: z.url(),
};
/** The most dead letters listed of each queue. */
const LISTED = 100;

export const listDeadLetters = ({ sqsClient, variables }: WithQueues) => {
  const environment = readEnvironment(QUEUES, variables);
  const deliveries = new DeadLetters(sqsClient, environment.DEAD_LETTER_QUEUE_URL);
  const events = new DeadLetters(sqsClient, environment.UNREADABLE_EVENTS_QUEUE_URL);
  const sweeps = new DeadLetters(sqsClient, environment.UNSWEPT_PARTS_QUEUE_URL);
  return privateFunction({
    input: z.object({}),
    async run(): Promise<DeadLetterList> {
      const [deadDeliveries, unpublished, unswept] = await Promise.all([
        deliveries.peek(LISTED),
        events.peek(LISTED),
        sweeps.peek(LISTED),
      ]);
      return {
        data: [
          ...deadDeliveries.map(describeDeadDelivery),
          ...unpublished.map(describeUnpublished),
          ...unswept.map(describeUnswept),
        ],
      };
    },
  });
};

export const handler = listDeadLetters({ ...runtime, sqsClient });
