import type { DynamoDBRecord } from "aws-lambda";
import type { OutboxRecord } from "#candidates/outbox/outbox";
import { documentClient, type WithTable } from "#runtime/dynamodb";
import { logger } from "#runtime/logger";
import { runtime } from "#runtime/runtime";
import { sqsClient, type WithQueues } from "#runtime/sqs";
import { streamConsumer } from "#runtime/stream-consumer";
import { publishServiceOf } from "#webhooks/delivery/composition";
import { publish } from "#webhooks/delivery/publish";

export const publishEvents = (surroundings: WithTable & WithQueues) => {
  const service = publishServiceOf(surroundings);
  return streamConsumer((records) =>
    publish(records.map(toOutboxRecord), {
      ...service,
      onAddressed: (event) => logger.info("event", { ...event }),
    }),
  );
};

export const handler = publishEvents({ ...runtime, documentClient, sqsClient });

function toOutboxRecord({ dynamodb }: DynamoDBRecord): OutboxRecord {
  return {
    sequenceNumber: dynamodb?.SequenceNumber ?? "",
    newImage: (dynamodb?.NewImage ?? {}) as OutboxRecord["newImage"],
  };
}
