import {
  SendMessageBatchCommand,
  SendMessageCommand,
  SQSClient,
  TooManyEntriesInBatchRequest,
} from "@aws-sdk/client-sqs";
import { mockClient } from "aws-sdk-client-mock";
import { beforeEach, describe, expect, test, vi } from "vitest";
import { messageBodyOf } from "#runtime/message-body";
import { runtime } from "#runtime/runtime";
import { type Delivery, readDelivery } from "#webhooks/delivery/delivery";
import { DeliveryQueue } from "#webhooks/delivery/delivery-queue";
import { capturedLogs } from "../../builders/captured-logs.ts";
import { aDelivery, anEvent, NOW } from "../builders.ts";

const URL = "https://sqs.eu-west-1.amazonaws.com/1/deliveries";
const client = new SQSClient({ region: "eu-west-1" });
const sqs = mockClient(client);
const queue = new DeliveryQueue(client, URL, () => NOW);

const logs = capturedLogs();
/** The lines of the log, by which a person finds what failed (docs/operations.md). */
const logged = () => logs.lines().map((line) => JSON.parse(line) as Record<string, unknown>);

beforeEach(() => {
  sqs.reset();
  sqs.on(SendMessageCommand).resolves({});
  sqs.on(SendMessageBatchCommand).resolves({});
});

const sentMessage = () => sqs.commandCalls(SendMessageCommand).at(-1)?.args[0].input;
const sentBatches = () =>
  sqs.commandCalls(SendMessageBatchCommand).map(({ args: [{ input }] }) => input.Entries ?? []);

const dueIn = (ms: number) => new Date(NOW.getTime() + ms).toISOString();

describe("a queued delivery", () => {
  test("is received as it was sent, its body byte for byte", async () => {
    const text = "ü 😀 \u0000 \u2028\u007f";
    const delivery = aDelivery({ attempt: 4, body: JSON.stringify({ ...anEvent(), text }) });

    await queue.send(delivery);

    expect(readDelivery(sentMessage()?.MessageBody ?? "")).toEqual(delivery);
  });

  test("is in the message group of its organisation, which yields to others while it has many in flight", async () => {
    const delivery = aDelivery();

    await queue.send(delivery);
    await queue.sendAll([delivery]);

    expect(sentMessage()).toMatchObject({ QueueUrl: URL, MessageGroupId: delivery.orgId });
    expect(sentBatches()[0]?.[0]).toMatchObject({ MessageGroupId: delivery.orgId });
  });

  test.each([
    ["due now", 0, 0],
    ["overdue", -3_600_000, 0],
    ["due in a millisecond", 1, 1],
    ["due in 5 s", 5_000, 5],
    ["due in 5.001 s", 5_001, 6],
    ["due in 15 min", 900_000, 900],
    ["due in 10 h, which is more than SQS delays", 36_000_000, 900],
  ])("waits until it is due, at most 15 minutes: %s", async (_what, ms, seconds) => {
    await queue.send(aDelivery({ dueAt: dueIn(ms) }));

    expect(sentMessage()?.DelaySeconds).toBe(seconds);
  });

  test("waits by the system clock by default", async () => {
    await new DeliveryQueue(client, URL, runtime.now).send(
      aDelivery({ dueAt: new Date(Date.now() + 900_000).toISOString() }),
    );

    expect(sentMessage()?.DelaySeconds).toBeGreaterThan(600);
  });

  // What SQS takes (SendMessage, "MessageBody"): it refuses or replaces any other character.
  test.each(["\ufffe", "\uffff", "a\ufffeb\uffffc"])(
    "consists of characters that SQS accepts, whatever the externalId contains: %j",
    async (externalId) => {
      const event = anEvent();
      const data = { ...event.data, externalId } as typeof event.data;
      const delivery = aDelivery({ body: JSON.stringify({ ...event, data }) });

      await queue.send(delivery);
      await queue.sendAll([delivery]);

      for (const body of [sentMessage()?.MessageBody, sentBatches()[0]?.[0]?.MessageBody]) {
        expect(body).toMatch(/^[\t\n\r\u{20}-\u{d7ff}\u{e000}-\u{fffd}\u{10000}-\u{10ffff}]+$/u);
        expect(JSON.parse(readDelivery(body ?? "")?.body ?? "")).toMatchObject({ data: { externalId } });
      }
    },
  );
});

describe("sending many deliveries", () => {
  test.each([
    [0, []],
    [1, [1]],
    [10, [10]],
    [11, [10, 1]],
    [25, [10, 10, 5]],
  ])("sends %i in requests of at most ten", async (count, sizes) => {
    const deliveries = Array.from({ length: count }, () => aDelivery());

    await expect(queue.sendAll(deliveries)).resolves.toEqual([]);

    expect(sentBatches().map((entries) => entries.length)).toEqual(sizes);
    const eventIds = sentBatches()
      .flat()
      .map(({ MessageBody }) => readDelivery(MessageBody ?? "")?.eventId);
    expect(new Set(eventIds)).toEqual(new Set(deliveries.map(({ eventId }) => eventId)));
    for (const entries of sentBatches()) {
      expect(new Set(entries.map(({ Id }) => Id)).size).toBe(entries.length);
    }
  });

  test("has at most sixteen requests under way, so that none waits for a socket", async () => {
    const { promise: mayRespond, resolve: respond } = Promise.withResolvers<void>();
    let underWay = 0;
    let most = 0;
    sqs.on(SendMessageBatchCommand).callsFake(async () => {
      most = Math.max(most, ++underWay);
      await mayRespond;
      underWay -= 1;
      return {};
    });

    const sent = queue.sendAll(Array.from({ length: 200 }, () => aDelivery()));
    await vi.waitFor(() => expect(underWay).toBe(16));
    respond();

    await expect(sent).resolves.toEqual([]);
    expect(most).toBe(16);
    expect(sentBatches()).toHaveLength(20);
  });

  test("returns those that SQS refuses, with whose fault it is and a log line each", async () => {
    const deliveries = Array.from({ length: 12 }, () => aDelivery());
    sqs
      .on(SendMessageBatchCommand)
      .resolvesOnce({
        Failed: [
          { Id: "0", Code: "InternalError", SenderFault: false },
          { Id: "9", Code: "InvalidMessageContents", SenderFault: true, Message: "private" },
        ],
        Successful: [],
      })
      .resolvesOnce({
        Failed: [{ Id: "1", Code: "ThrottlingException", SenderFault: false }],
        Successful: [],
      });

    const refused = await queue.sendAll(deliveries);

    expect(refused).toEqual([
      { delivery: deliveries[0], senderFault: false },
      { delivery: deliveries[9], senderFault: true },
      { delivery: deliveries[11], senderFault: false },
    ]);
    const line = { level: "ERROR", message: "delivery refused by the queue", queue: "deliveries" };
    const lines = (
      [
        [0, "InternalError"],
        [9, "InvalidMessageContents"],
        [11, "ThrottlingException"],
      ] as const
    ).map(([index, code]) => ({ ...line, eventId: deliveries[index]?.eventId, code }));
    expect(logged()).toMatchObject(lines);
    expect(logs.text()).not.toMatch(/private|ext-1/);
  });

  test("returns all of a request that fails, and still sends the other requests", async () => {
    const deliveries = Array.from({ length: 21 }, () => aDelivery());
    sqs
      .on(SendMessageBatchCommand)
      .rejectsOnce(new TooManyEntriesInBatchRequest({ message: "refused", $metadata: {} }))
      .resolves({});

    const refused = await queue.sendAll(deliveries);

    expect(refused).toEqual(deliveries.slice(0, 10).map((delivery) => ({ delivery, senderFault: false })));
    expect(sentBatches()).toHaveLength(3);
    expect(logged()).toMatchObject([
      {
        level: "ERROR",
        message: "deliveries not sent",
        queue: "deliveries",
        eventIds: deliveries.slice(0, 10).map(({ eventId }) => eventId),
        cause: { message: "refused" },
      },
    ]);
  });

  test.each([
    ["without a word on whose fault it is may be repeated", { Id: "0", SenderFault: undefined }, 1],
    ["that is none of them are all sent", { Id: "7", SenderFault: true }, 0],
  ])("with a refused one %s", async (_what, failed, count) => {
    const delivery = aDelivery();
    const Failed = [{ Code: "InternalError", ...failed }];
    sqs.on(SendMessageBatchCommand).resolves({ Failed, Successful: [] });

    expect(await queue.sendAll([delivery])).toEqual([{ delivery, senderFault: false }].slice(0, count));
  });

  // Amazon SQS message quotas: 1 MiB for all messages of one request together.
  test.each([
    ["fill a request go out in one", 0, [2]],
    ["are a byte more go out in two", 1, [1, 1]],
  ])("that %s", async (_what, more, sizes) => {
    const first = aDelivery();
    const sizeOf = (delivery: Delivery) => Buffer.byteLength(messageBodyOf(delivery));
    const short = aDelivery({ endpointId: "" });
    const endpointId = "x".repeat(1_048_576 - sizeOf(first) - sizeOf(short) + more);

    await queue.sendAll([first, { ...short, endpointId }]);

    expect(sentBatches().map((entries) => entries.length)).toEqual(sizes);
  });

  test("with the longest rejection reasons fits the size limit of its requests", async () => {
    const reason = { code: "a".repeat(64), message: '"'.repeat(500) };
    const data = { ...anEvent().data, status: "validation_failed", reasons: Array(50).fill(reason) };
    const body = JSON.stringify({ ...anEvent(), type: "candidate.validation_failed", data });
    const endpointsOfOneEvent = Array.from({ length: 50 }, () => aDelivery({ body }));

    await queue.sendAll(endpointsOfOneEvent);

    for (const entries of sentBatches()) {
      const bytes = entries.reduce((sum, { MessageBody = "" }) => sum + Buffer.byteLength(MessageBody), 0);
      expect(bytes).toBeLessThanOrEqual(1_048_576);
    }
  });
});

describe("a parked message", () => {
  test("is kept unchanged", async () => {
    await queue.park("{nonsense");

    expect(sentMessage()).toEqual({ QueueUrl: URL, MessageBody: "{nonsense" });
  });

  test("is not lost silently if the queue fails", async () => {
    sqs.on(SendMessageCommand).rejects(new Error("outage"));

    await expect(queue.park("{nonsense")).rejects.toThrow("outage");
    await expect(queue.send(aDelivery())).rejects.toThrow("outage");
  });
});

describe("a queue message that is not a delivery", () => {
  test.each([
    "",
    "null",
    "[]",
    "{}",
    "{nonsense",
    JSON.stringify({ ...aDelivery(), eventType: "candidate.unknown" }),
    JSON.stringify({ ...aDelivery(), attempt: 0 }),
    JSON.stringify({ ...aDelivery(), attempt: 1.5 }),
    JSON.stringify({ ...aDelivery(), attempt: "1" }),
    JSON.stringify({ ...aDelivery(), endpointId: undefined }),
    JSON.stringify({ ...aDelivery(), sample: false }),
    JSON.stringify({ ...aDelivery(), body: "no JSON" }),
    JSON.stringify({ ...aDelivery(), body: '{"occurredAt":"once"}' }),
    JSON.stringify({ ...aDelivery(), dueAt: "soon" }),
    JSON.stringify({ ...aDelivery(), resentAt: "9999" }),
  ])("is rejected as unreadable: %s", (body) => {
    expect(readDelivery(body)).toBeUndefined();
  });
});
