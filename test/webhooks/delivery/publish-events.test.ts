import { InternalServerError, ThrottlingException } from "@aws-sdk/client-dynamodb";
import { SendMessageBatchCommand, SendMessageCommand, SQSClient } from "@aws-sdk/client-sqs";
import { DynamoDBDocumentClient, QueryCommand } from "@aws-sdk/lib-dynamodb";
import type { DynamoDBStreamEvent } from "aws-lambda";
import { beforeEach, describe, expect, test } from "vitest";
import type { OutboxRecord } from "#candidates/outbox/outbox";
import { documentClient } from "#runtime/dynamodb";
import { runtime } from "#runtime/runtime";
import { sqsClient } from "#runtime/sqs";
import type { StoredEndpoint } from "#webhooks/endpoints/stored-endpoint";
import { publishEvents } from "../../../functions/events/publish-events.ts";
import { capturedLogs } from "../../builders/captured-logs.ts";
import { mockedClient } from "../../builders/mocked-client.ts";
import { aLambdaContext } from "../../builders/proxy-event.ts";
import { anEndpoint, anOutboxRecord } from "../builders.ts";

const DELIVERIES = "https://sqs.eu-west-1.amazonaws.com/1/deliveries";
const UNREADABLE = "https://sqs.eu-west-1.amazonaws.com/1/unreadable";

const table = mockedClient(DynamoDBDocumentClient);
const sqs = mockedClient(SQSClient);
const logs = capturedLogs();

const THROTTLED = new ThrottlingException({ message: "Rate exceeded", $metadata: { httpStatusCode: 400 } });
const OUTAGE = new InternalServerError({ message: "outage", $metadata: { httpStatusCode: 500 } });

beforeEach(() => {
  for (const client of [table, sqs]) client.reset();
  sqs.on(SendMessageCommand).resolves({});
  sqs.on(SendMessageBatchCommand).resolves({});
});

/** One by one or in batches. */
const sentTo = (url: string) =>
  [
    ...sqs.commandCalls(SendMessageCommand, { QueueUrl: url }).map(({ args: [{ input }] }) => input),
    ...sqs
      .commandCalls(SendMessageBatchCommand, { QueueUrl: url })
      .flatMap(({ args: [{ input }] }) => input.Entries ?? []),
  ].map(({ MessageBody = "" }) => MessageBody);

/** A new process, which has read no endpoints. */
const aPublisher = () => publishEvents({ ...runtime, documentClient, sqsClient });

describe("publish-events", () => {
  const invoke = async (...records: OutboxRecord[]) => {
    const event = {
      Records: records.map(({ sequenceNumber, newImage }) => ({
        eventName: "MODIFY",
        dynamodb: { SequenceNumber: sequenceNumber, NewImage: newImage },
      })),
    } as unknown as DynamoDBStreamEvent;
    return aPublisher()(event, aLambdaContext);
  };
  const subscribed = (...endpoints: StoredEndpoint[]) =>
    table.on(QueryCommand).resolves({ Items: endpoints });
  const sent = () =>
    sqs
      .commandCalls(SendMessageBatchCommand, { QueueUrl: DELIVERIES })
      .flatMap(({ args: [{ input }] }) => input.Entries ?? []);

  test("sends a batch's events and reports no failure", async () => {
    subscribed(...Array.from({ length: 7 }, () => anEndpoint()));

    await expect(invoke(anOutboxRecord(), anOutboxRecord(), anOutboxRecord())).resolves.toEqual({
      batchItemFailures: [],
    });
    expect(sent()).toHaveLength(21);
  });

  test("queries the organisation's endpoints with strong consistency", async () => {
    subscribed();

    await invoke(anOutboxRecord({ orgId: "acme" }));

    expect(table.commandCalls(QueryCommand)[0]?.args[0].input).toMatchObject({
      TableName: "candidates",
      ConsistentRead: true,
      ExpressionAttributeValues: { ":pk": "ENDPOINTS#acme", ":endpoint": "ENDPOINT#" },
    });
  });

  test.each([THROTTLED, OUTAGE, new Error("socket hang up")])(
    "reports the first record if DynamoDB fails: %s",
    async (error) => {
      table.on(QueryCommand).rejects(error);

      await expect(
        invoke(anOutboxRecord({ sequenceNumber: "10" }), anOutboxRecord({ sequenceNumber: "20" })),
      ).resolves.toEqual({ batchItemFailures: [{ itemIdentifier: "10" }] });
      expect(sent()).toEqual([]);
    },
  );

  test("reports the first record if the queue fails", async () => {
    subscribed(anEndpoint());
    sqs.on(SendMessageBatchCommand).rejects(new Error("throttled"));

    await expect(
      invoke(anOutboxRecord({ sequenceNumber: "10" }), anOutboxRecord({ sequenceNumber: "20" })),
    ).resolves.toEqual({ batchItemFailures: [{ itemIdentifier: "10" }] });
  });

  test("reports the record whose message the queue refuses", async () => {
    subscribed(anEndpoint());
    sqs
      .on(SendMessageBatchCommand)
      .resolves({ Failed: [{ Id: "1", Code: "ThrottlingException", SenderFault: false }], Successful: [] });

    await expect(
      invoke(
        anOutboxRecord({ sequenceNumber: "10" }),
        anOutboxRecord({ sequenceNumber: "20" }),
        anOutboxRecord({ sequenceNumber: "30" }),
      ),
    ).resolves.toEqual({ batchItemFailures: [{ itemIdentifier: "20" }] });
  });

  test("parks an unreadable record and continues", async () => {
    subscribed(anEndpoint());
    const broken = anOutboxRecord({ attributes: { status: "unheard-of" }, sequenceNumber: "20" });

    await expect(invoke(anOutboxRecord(), broken, anOutboxRecord())).resolves.toEqual({
      batchItemFailures: [],
    });
    expect(sentTo(UNREADABLE)).toHaveLength(1);
    expect(JSON.parse(sentTo(UNREADABLE)[0] ?? "")).toMatchObject({ sequenceNumber: "20" });
    expect(sent()).toHaveLength(2);
  });

  test("parks the events of an organisation with a damaged endpoint, names it, and continues", async () => {
    const { eventTypes: _, ...damaged } = anEndpoint({ orgId: "damaged" });
    const sk = `ENDPOINT#${damaged.id}`;
    table.on(QueryCommand).callsFake(({ ExpressionAttributeValues }) => ({
      Items: ExpressionAttributeValues[":pk"] === "ENDPOINTS#damaged" ? [{ ...damaged, sk }] : [anEndpoint()],
    }));

    await expect(
      invoke(anOutboxRecord({ orgId: "damaged", sequenceNumber: "10" }), anOutboxRecord()),
    ).resolves.toEqual({ batchItemFailures: [] });
    expect(sent()).toHaveLength(1);
    expect(sentTo(UNREADABLE).map((body) => JSON.parse(body))).toMatchObject([{ sequenceNumber: "10" }]);
    expect(logs.lines().map((line) => JSON.parse(line))).toContainEqual(
      expect.objectContaining({
        message: "endpoints not read",
        orgId: "damaged",
        cause: expect.objectContaining({
          message: `The item ${sk} of a webhook endpoint has no eventTypes.`,
        }),
      }),
    );
  });

  test("reports an unreadable record that cannot be parked", async () => {
    subscribed(anEndpoint());
    sqs.on(SendMessageCommand, { QueueUrl: UNREADABLE }).rejects(new Error("outage"));
    const broken = anOutboxRecord({ attributes: { status: "unheard-of" }, sequenceNumber: "20" });

    await expect(invoke(anOutboxRecord({ sequenceNumber: "10" }), broken)).resolves.toEqual({
      batchItemFailures: [{ itemIdentifier: "20" }],
    });
  });

  test("ignores a record without an image", async () => {
    subscribed(anEndpoint());
    const event = { Records: [{ eventName: "REMOVE" }] } as DynamoDBStreamEvent;

    await expect(aPublisher()(event, aLambdaContext)).resolves.toEqual({ batchItemFailures: [] });
    expect(sent()).toEqual([]);
  });

  test("logs no data of a candidate, whatever fails", async () => {
    table.on(QueryCommand).rejects(THROTTLED);
    const records = [anOutboxRecord(), anOutboxRecord({ attributes: { status: "unheard-of" } })];

    await invoke(...records);

    expect(logs.text()).toContain("ThrottlingException");
    expect(logs.text()).not.toMatch(/Lovelace|ada@example|ext-/);
  });
});
