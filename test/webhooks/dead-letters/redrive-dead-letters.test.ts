import { DynamoDBStreamsClient } from "@aws-sdk/client-dynamodb-streams";
import {
  DeleteMessageCommand,
  ReceiveMessageCommand,
  SendMessageCommand,
  SQSClient,
} from "@aws-sdk/client-sqs";
import { DynamoDBDocumentClient, GetCommand } from "@aws-sdk/lib-dynamodb";
import { beforeEach, expect, onTestFinished, test, vi } from "vitest";
import { clientDefaults } from "#runtime/client-defaults";
import { eventOf, readDelivery } from "#webhooks/delivery/delivery";
import { handler } from "../../../functions/platform/redrive-dead-letters.ts";
import { capturedLogs } from "../../builders/captured-logs.ts";
import { httpSettingsOf } from "../../builders/http-settings.ts";
import { mockedClient } from "../../builders/mocked-client.ts";
import { aLambdaContext } from "../../builders/proxy-event.ts";
import { aDelivery, SQS_THROTTLED } from "../builders.ts";

const table = mockedClient(DynamoDBDocumentClient);
const sqs = mockedClient(SQSClient);
const streams = mockedClient(DynamoDBStreamsClient);
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

test("redrive-dead-letters begins with no further letter after half of its minute", async () => {
  vi.useFakeTimers({ toFake: ["Date"] });
  onTestFinished(() => void vi.useRealTimers());
  const letter = (ReceiptHandle: string) => ({ Body: JSON.stringify(aDelivery()), ReceiptHandle });
  sqs.on(ReceiveMessageCommand).resolves({ Messages: ["1", "2", "3"].map(letter) });
  sqs.on(SendMessageCommand).callsFake(() => {
    vi.setSystemTime(Date.now() + 20_000);
    return {};
  });

  await expect(handler({ queue: "deliveries" }, aLambdaContext)).resolves.toEqual({ redriven: 2, left: 1 });
});

test("redrive-dead-letters gives up an attempt to read the stream after its timeout", async () => {
  const position = { shardId: "1", startSequenceNumber: "1", endSequenceNumber: "1", streamArn: "arn" };
  const letter = { Body: JSON.stringify({ DDBStreamBatchInfo: position }), ReceiptHandle: "1" };
  sqs
    .on(ReceiveMessageCommand)
    .resolvesOnce({ Messages: [letter] })
    .resolves({});

  await handler({ queue: "events" }, aLambdaContext);

  const client = streams.calls()[0]?.thisValue as DynamoDBStreamsClient;
  expect(await httpSettingsOf(client)).toMatchObject(clientDefaults.requestHandler);
});
