import { DynamoDBStreamsClient } from "@aws-sdk/client-dynamodb-streams";
import { partSweepOf } from "#candidates/store/composition";
import { redriveSweeps } from "#candidates/store/large/part-sweep-redrive";
import { clientDefaults } from "#runtime/client-defaults";
import { documentClient } from "#runtime/dynamodb";
import { privateFunction } from "#runtime/private-function";
import { runtime } from "#runtime/runtime";
import { sqsClient } from "#runtime/sqs";
import {
  deadLettersOf,
  type RedriveDependencies,
  redriveServiceOf,
} from "#webhooks/dead-letters/composition";
import { type DeadLetterQueue, RedriveDeadLetters } from "#webhooks/dead-letters/dead-letter-commands";
import { redriveDelivery, redriveEvents } from "#webhooks/dead-letters/redrive";

/** The most dead letters that one invocation redrives. */
const BATCH = 200;
/**
 * How long an invocation starts with further letters, in ms: a letter of a failed batch takes seconds, and the function
 * has 60 s.
 */
const STARTING_MS = 30_000;

export const redriveDeadLetters = (dependencies: RedriveDependencies) => {
  const { streams, now } = dependencies;
  const letters = deadLettersOf(dependencies);
  const parts = partSweepOf(dependencies);
  const service = redriveServiceOf(dependencies);
  const redriveOne: Readonly<Record<DeadLetterQueue, (body: string) => Promise<boolean>>> = {
    deliveries: (body) => redriveDelivery(body, service),
    events: (body) => redriveEvents(body, service),
    sweeps: (body) => redriveSweeps(body, { streams, parts }),
  };
  return privateFunction({
    input: RedriveDeadLetters,
    loggedInput: ["queue"],
    run({ queue }) {
      const endsAt = now().getTime() + STARTING_MS;
      return letters[queue].redrive(BATCH, redriveOne[queue], () => now().getTime() >= endsAt);
    },
    loggedOutput: ({ redriven, left }) => ({ redriven, left }),
  });
};

export const handler = redriveDeadLetters({
  ...runtime,
  documentClient,
  sqsClient,
  streams: new DynamoDBStreamsClient(clientDefaults),
});
