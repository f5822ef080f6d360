import {
  DeleteMessageCommand,
  ReceiveMessageCommand,
  SendMessageCommand,
  SQSClient,
} from "@aws-sdk/client-sqs";
import { DynamoDBDocumentClient, GetCommand } from "@aws-sdk/lib-dynamodb";
import { mockClient } from "aws-sdk-client-mock";
import { afterAll, beforeEach, expect, test, vi } from "vitest";
import { eventOf, readDelivery } from "#webhooks/delivery/delivery";
import { handler } from "../../../functions/platform/redrive-dead-letters.ts";
import { capturedLogs } from "../../builders/captured-logs.ts";
import { aLambdaContext } from "../../builders/proxy-event.ts";
import { aDelivery, SQS_THROTTLED } from "../builders.ts";

vi.hoisted(() => {
  vi.stubEnv("AWS_REGION", "eu-west-1");
  vi.stubEnv("TABLE_NAME", "candidates");
  vi.stubEnv("EVENT_RETENTION_DAYS", "30");
  vi.stubEnv("RETRY_QUEUE_URL", "https://sqs.eu-west-1.amazonaws.com/1/retries");
  vi.stubEnv("DEAD_LETTER_QUEUE_URL", "https://sqs.eu-west-1.amazonaws.com/1/dead-letters");
  vi.stubEnv("UNREADABLE_EVENTS_QUEUE_URL", "https://sqs.eu-west-1.amazonaws.com/1/unreadable");
  vi.stubEnv("UNSWEPT_PARTS_QUEUE_URL", "https://sqs.eu-west-1.amazonaws.com/1/unswept");
});
afterAll(() => {
  vi.unstubAllEnvs();
});

const table = mockClient(DynamoDBDocumentClient);
const sqs = mockClient(SQSClient);
const logs = capturedLogs();

beforeEach(() => {
  for (const client of [table, sqs]) client.reset();
  table.on(GetCommand).resolves({});
  sqs.on(SendMessageCommand).resolves({});
  sqs.on(DeleteMessageCommand).resolves({});
});

const sent = () =>
  sqs.commandCalls(SendMessageCommand).map(({ args: [{ input }] }) => readDelivery(input.MessageBody ?? ""));

test.each([{ queue: "other" }, {}])("redrive-dead-letters refuses an invalid input: %j", async (input) => {
  await expect(handler(input, aLambdaContext)).rejects.toMatchObject({ name: "invalid_request" });
  expect([...table.calls(), ...sqs.calls()]).toHaveLength(0);
});

test("redrive-dead-letters redrives deliveries and keeps unreadable ones", async () => {
  const dead = aDelivery({ attempt: 11 });
  sqs
    .on(ReceiveMessageCommand)
    .resolvesOnce({
      Messages: [
        { Body: JSON.stringify(dead), ReceiptHandle: "1" },
        { Body: "nonsense", ReceiptHandle: "2", MessageId: "message-2" },
      ],
    })
    .resolves({});

  await expect(handler({ queue: "deliveries" }, aLambdaContext)).resolves.toEqual({
    redriven: 1,
    left: 1,
  });

  expect(sent()).toMatchObject([{ eventId: dead.eventId, event: eventOf(dead), attempt: 1 }]);
  expect(sqs.commandCalls(DeleteMessageCommand)[0]?.args[0].input.ReceiptHandle).toBe("1");
  expect(logs.lines().map((line) => JSON.parse(line))).toMatchObject([
    { level: "WARN", message: "dead letter left", messageId: "message-2" },
    { message: "invocation", outcome: "ok", queue: "deliveries", redriven: 1, left: 1 },
  ]);
});

test("redrive-dead-letters deletes nothing that could not be sent", async () => {
  sqs
    .on(ReceiveMessageCommand)
    .resolvesOnce({ Messages: [{ Body: JSON.stringify(aDelivery()), ReceiptHandle: "1" }] })
    .resolves({});
  sqs.on(SendMessageCommand).rejects(SQS_THROTTLED);

  await expect(handler({ queue: "deliveries" }, aLambdaContext)).rejects.toThrow("Rate exceeded");
  expect(sqs.commandCalls(DeleteMessageCommand)).toHaveLength(0);
  expect(logs.lines().map((line) => JSON.parse(line))).toMatchObject([
    { level: "ERROR", message: "invocation failed", cause: { message: "Rate exceeded" } },
    { level: "INFO", message: "invocation", outcome: "ThrottlingException" },
  ]);
});
