import { toOutboxRecord } from "#candidates/outbox/outbox";
import { documentClientWith, type WithTable } from "#runtime/dynamodb";
import { runtime } from "#runtime/runtime";
import { sqsClient, type WithQueues } from "#runtime/sqs";
import { streamConsumer } from "#runtime/stream-consumer";
import { publishServiceOf } from "#webhooks/delivery/composition";
import { publish } from "#webhooks/delivery/publish";

/**
 * One socket for each request that a batch of a hundred events can have under way: for each event two puts and two
 * emptying puts of its item, and a query for its endpoints. A process has 1,024 file descriptors (Lambda quotas).
 */
const SOCKETS = 500;

export const publishEvents = (dependencies: WithTable & WithQueues) => {
  const service = publishServiceOf(dependencies);
  return streamConsumer((records) => publish(records.map(toOutboxRecord), service));
};

export const handler = publishEvents({
  ...runtime,
  documentClient: documentClientWith(SOCKETS),
  sqsClient,
});
