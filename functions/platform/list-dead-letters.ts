import { privateFunction } from "#runtime/private-function";
import { runtime } from "#runtime/runtime";
import { sqsClient, type WithQueues } from "#runtime/sqs";
import { deadLettersOf } from "#webhooks/dead-letters/composition";
import {
  type DeadLetterList,
  DeadLetterQueue,
  ListDeadLetters,
} from "#webhooks/dead-letters/dead-letter-commands";
import { summaryOf } from "#webhooks/dead-letters/dead-letter-summary";

/** The most dead letters listed of each queue. */
const LISTED = 100;

export const listDeadLetters = (dependencies: WithQueues) => {
  const letters = deadLettersOf(dependencies);
  return privateFunction({
    input: ListDeadLetters,
    loggedInput: [],
    async run(): Promise<DeadLetterList> {
      const summaries = await Promise.all(
        DeadLetterQueue.options.map(async (queue) =>
          (await letters[queue].peek(LISTED)).map((body) => summaryOf(queue, body)),
        ),
      );
      return { data: summaries.flat() };
    },
    loggedOutput: ({ data }) => ({ listed: data.length }),
  });
};

export const handler = listDeadLetters({ ...runtime, sqsClient });
