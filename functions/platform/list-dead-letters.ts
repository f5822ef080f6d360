import { privateFunction } from "#runtime/private-function";
import { runtime } from "#runtime/runtime";
import { sqsClient, type WithQueues } from "#runtime/sqs";
import { deadLettersOf } from "#webhooks/dead-letters/composition";
import { type DeadLetterList, ListDeadLetters } from "#webhooks/dead-letters/dead-letter-commands";
import {
  describeDeadDelivery,
  describeUnpublished,
  describeUnswept,
} from "#webhooks/dead-letters/dead-letter-summary";

/** The most dead letters listed of each queue. */
const LISTED = 100;

export const listDeadLetters = (dependencies: WithQueues) => {
  const { deliveries, events, sweeps } = deadLettersOf(dependencies);
  return privateFunction({
    input: ListDeadLetters,
    loggedInput: [],
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
    loggedOutput: ({ data }) => ({ listed: data.length }),
  });
};

export const handler = listDeadLetters({ ...runtime, sqsClient });
