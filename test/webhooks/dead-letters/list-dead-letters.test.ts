import {
  ChangeMessageVisibilityCommand,
  DeleteMessageCommand,
  ReceiveMessageCommand,
  SQSClient,
} from "@aws-sdk/client-sqs";
import { expect, test } from "vitest";
import { handler } from "../../../functions/platform/list-dead-letters.ts";
import { capturedLogs } from "../../builders/captured-logs.ts";
import { mockedClient } from "../../builders/mocked-client.ts";
import { aLambdaContext } from "../../builders/proxy-event.ts";
import { aDelivery } from "../builders.ts";

const sqs = mockedClient(SQSClient);
capturedLogs();

test("list-dead-letters shows each queue and changes none", async () => {
  sqs.on(ChangeMessageVisibilityCommand).resolves({});
  const dead = aDelivery();
  sqs
    .on(ReceiveMessageCommand, { QueueUrl: process.env["DEAD_LETTER_QUEUE_URL"] })
    .resolvesOnce({ Messages: [{ Body: JSON.stringify(dead), ReceiptHandle: "1" }] })
    .resolves({});
  sqs
    .on(ReceiveMessageCommand, { QueueUrl: process.env["UNREADABLE_EVENTS_QUEUE_URL"] })
    .resolvesOnce({ Messages: [{ Body: "nonsense", ReceiptHandle: "2" }] })
    .resolves({});
  sqs
    .on(ReceiveMessageCommand, { QueueUrl: process.env["UNSWEPT_PARTS_QUEUE_URL"] })
    .resolvesOnce({ Messages: [{ Body: "{}", ReceiptHandle: "3" }] })
    .resolves({});

  const { data } = await handler({}, aLambdaContext);

  expect(data.map(({ queue, eventId }) => [queue, eventId])).toEqual([
    ["deliveries", dead.eventId],
    ["events", null],
    ["sweeps", null],
  ]);
  expect(sqs.commandCalls(DeleteMessageCommand)).toHaveLength(0);
  expect(sqs.commandCalls(ChangeMessageVisibilityCommand)).toHaveLength(3);
  expect(JSON.stringify(data)).not.toContain("ext-1");
});

test("list-dead-letters shows the first hundred dead letters of a queue", async () => {
  sqs.reset();
  sqs.on(ChangeMessageVisibilityCommand).resolves({});
  sqs.on(ReceiveMessageCommand).resolves({});
  const Messages = Array.from({ length: 10 }, () => ({ Body: "{}", ReceiptHandle: "1" }));
  sqs.on(ReceiveMessageCommand, { QueueUrl: process.env["UNSWEPT_PARTS_QUEUE_URL"] }).resolves({ Messages });

  const { data } = await handler({}, aLambdaContext);

  expect(data).toHaveLength(100);
});
