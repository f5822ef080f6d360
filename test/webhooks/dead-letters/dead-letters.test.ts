import type { AttributeValue } from "@aws-sdk/client-dynamodb";
import {
  DynamoDBStreamsClient,
  GetRecordsCommand,
  GetShardIteratorCommand,
  TrimmedDataAccessException,
} from "@aws-sdk/client-dynamodb-streams";
import {
  ChangeMessageVisibilityCommand,
  DeleteMessageCommand,
  ReceiveMessageCommand,
  SQSClient,
} from "@aws-sdk/client-sqs";
import { mockClient } from "aws-sdk-client-mock";
import { beforeEach, describe, expect, test, vi } from "vitest";
import type { OutboxRecord } from "#candidates/outbox/outbox";
import { runtime } from "#runtime/runtime";
import { summaryOf } from "#webhooks/dead-letters/dead-letter-summary";
import { DeadLetters } from "#webhooks/dead-letters/dead-letters";
import { redriveDelivery, redriveEvents } from "#webhooks/dead-letters/redrive";
import { type Delivery, withoutBody } from "#webhooks/delivery/delivery";
import type { Refusal } from "#webhooks/delivery/delivery-queue";
import { withEventAlone } from "#webhooks/delivery/fired-event";
import { RecentIds } from "#webhooks/feed/recent-ids";
import { capturedLogs } from "../../builders/captured-logs.ts";
import { aDelivery, anEndpoint, anEndpointOutboxRecord, anOutboxRecord, NOW } from "../builders.ts";

const logs = capturedLogs();

const URL = "https://sqs.eu-west-1.amazonaws.com/1/dead-letters";
const sqsClient = new SQSClient({ region: "eu-west-1" });
const sqs = mockClient(sqsClient);
const streamsClient = new DynamoDBStreamsClient({ region: "eu-west-1" });
const streams = mockClient(streamsClient);

beforeEach(() => {
  sqs.reset();
  streams.reset();
  sqs.on(DeleteMessageCommand).resolves({});
  sqs.on(ChangeMessageVisibilityCommand).resolves({});
});

/** A queue that gives out each of its letters once, as one whose messages stay invisible does. */
function holding(...bodies: string[]): DeadLetters {
  const letters = bodies.map((Body) => ({
    MessageId: `id of ${Body}`,
    Body,
    ReceiptHandle: `receipt of ${Body}`,
  }));
  sqs.on(ReceiveMessageCommand).callsFake(({ MaxNumberOfMessages }: { MaxNumberOfMessages: number }) => {
    // SQS gives fewer than it is asked for as it likes.
    const Messages = letters.splice(0, Math.min(MaxNumberOfMessages, 3));
    return Messages.length > 0 ? { Messages } : {};
  });
  return new DeadLetters(sqsClient, URL);
}

const never = () => false;
const letters = (count: number) => Array.from({ length: count }, (_, index) => `letter ${index}`);
const deleted = () =>
  sqs.commandCalls(DeleteMessageCommand).map(({ args: [{ input }] }) => input.ReceiptHandle);
const released = () => sqs.commandCalls(ChangeMessageVisibilityCommand).map(({ args: [{ input }] }) => input);

describe("listing dead letters", () => {
  test("leaves them visible in their queue", async () => {
    await expect(holding(...letters(8)).peek(100)).resolves.toEqual(letters(8));

    expect(deleted()).toEqual([]);
    expect(released()).toHaveLength(8);
    expect(released()[0]).toEqual({
      QueueUrl: URL,
      ReceiptHandle: "receipt of letter 0",
      VisibilityTimeout: 0,
    });
  });

  test.each([1, 5, 10, 11])("shows no more than %i if that many are requested", async (limit) => {
    await expect(holding(...letters(30)).peek(limit)).resolves.toEqual(letters(limit));

    // SQS gives 1 to 10 messages, and refuses to be asked for another number.
    for (const { args } of sqs.commandCalls(ReceiveMessageCommand)) {
      expect(args[0].input.MaxNumberOfMessages).toBeGreaterThanOrEqual(1);
      expect(args[0].input.MaxNumberOfMessages).toBeLessThanOrEqual(10);
    }
  });

  test("shows none if there are none", async () => {
    await expect(holding().peek(100)).resolves.toEqual([]);
  });
});

describe("redriving dead letters", () => {
  test("deletes those that were redriven and keeps the others visible", async () => {
    const outcome = await holding(...letters(5)).redrive(100, async (body) => body !== "letter 2", never);

    expect(outcome).toEqual({ redriven: 4, left: 1 });
    expect(deleted()).toEqual([0, 1, 3, 4].map((index) => `receipt of letter ${index}`));
    expect(released().map(({ ReceiptHandle }) => ReceiptHandle)).toEqual(["receipt of letter 2"]);
  });

  test("returns its result if a letter cannot be released, or is visible already", async () => {
    sqs.on(ChangeMessageVisibilityCommand).rejects(new Error("The message is not in flight."));

    const outcome = await holding(...letters(2)).redrive(2, async (body) => body === "letter 0", never);

    expect(outcome).toEqual({ redriven: 1, left: 1 });
    expect(logs.lines().map((line) => JSON.parse(line))).toEqual([
      expect.objectContaining({ message: "dead letter left", messageId: "id of letter 1" }),
      expect.objectContaining({
        level: "WARN",
        message: expect.stringContaining("dead letter not released"),
        messageId: "id of letter 1",
      }),
    ]);
  });

  test("deletes none before it was redriven", async () => {
    const order: string[] = [];
    sqs.on(DeleteMessageCommand).callsFake(() => void order.push("deleted"));

    const settle = async () => {
      order.push("settled");
      return true;
    };
    await holding("letter").redrive(1, settle, never);

    expect(order).toEqual(["settled", "deleted"]);
  });

  test("stops at an error, and keeps this letter and those after it visible", async () => {
    const failing = async (body: string) => {
      if (body === "letter 1") throw new Error("outage");
      return true;
    };
    const redriving = holding(...letters(3)).redrive(100, failing, never);

    await expect(redriving).rejects.toThrow("outage");
    expect(deleted()).toEqual(["receipt of letter 0"]);
    expect(released().map(({ ReceiptHandle }) => ReceiptHandle)).toEqual([
      "receipt of letter 1",
      "receipt of letter 2",
    ]);
  });

  test("keeps what is left visible if no more can be received", async () => {
    const queue = holding();
    sqs
      .on(ReceiveMessageCommand)
      .resolvesOnce({ Messages: [{ MessageId: "1", Body: "letter", ReceiptHandle: "receipt of letter" }] })
      .rejects(new Error("outage"));

    await expect(queue.redrive(100, async () => false, never)).rejects.toThrow("outage");
    expect(released().map(({ ReceiptHandle }) => ReceiptHandle)).toEqual(["receipt of letter"]);
  });

  test("handles no more than the limit", async () => {
    const handle = vi.fn(async () => true);

    await holding(...letters(30)).redrive(12, handle, never);

    expect(handle).toHaveBeenCalledTimes(12);
  });

  test("handles and receives no more when it is over, and keeps the others visible", async () => {
    const handled: string[] = [];
    const handle = async (body: string) => handled.push(body) > 0;

    const outcome = await holding(...letters(9)).redrive(100, handle, () => handled.length === 4);

    expect(handled).toHaveLength(4);
    // The second receive got three letters, of which one was handled.
    expect(outcome).toEqual({ redriven: 4, left: 2 });
    expect(released()).toHaveLength(2);
    expect(sqs.commandCalls(ReceiveMessageCommand)).toHaveLength(2);
  });
});

/** What redriving stands on. */
function aService(...registered: ReturnType<typeof anEndpoint>[]) {
  const sent: Delivery[] = [];
  const refused: number[] = [];
  const service = {
    streams: streamsClient,
    feed: { append: vi.fn(async () => {}), settled: async () => {} },
    endpoints: {
      list: vi.fn(async (orgId: string) => registered.filter((endpoint) => endpoint.orgId === orgId)),
    },
    queue: {
      send: vi.fn(async (delivery: Delivery) => void sent.push(delivery)),
      async sendAll(deliveries: readonly Delivery[]): Promise<Refusal[]> {
        sent.push(...deliveries);
        return refused.flatMap((index) => {
          const delivery = deliveries[index];
          return delivery ? [{ delivery, senderFault: false }] : [];
        });
      },
    },
    published: new RecentIds(),
    now: () => NOW,
    wait: runtime.wait,
  };
  return { service, sent, refused };
}

describe("redriving a dead delivery", () => {
  test("starts its schedule again, with the same event but without its body", async () => {
    const { service, sent } = aService();
    const dead = aDelivery({ attempt: 11, dueAt: "2020-01-01T00:00:00.000Z" });

    await expect(redriveDelivery(JSON.stringify(dead), service)).resolves.toBe(true);

    expect(sent).toEqual([
      { ...withoutBody(dead), attempt: 1, dueAt: NOW.toISOString(), resentAt: NOW.toISOString() },
    ]);
  });

  test.each(["", "nonsense", "{}"])("keeps it if it cannot be read: %j", async (body) => {
    const { service, sent } = aService();

    await expect(redriveDelivery(body, service)).resolves.toBe(false);
    expect(sent).toEqual([]);
  });

  test("fails if it cannot be sent", async () => {
    const { service } = aService();
    service.queue.send.mockRejectedValue(new Error("outage"));

    await expect(redriveDelivery(JSON.stringify(aDelivery()), service)).rejects.toThrow("outage");
  });
});

describe("redriving a parked event", () => {
  test("about an endpoint publishes it to the others", async () => {
    const [about, other] = [anEndpoint(), anEndpoint()];
    const { service, sent } = aService(about, other);
    const letter = JSON.stringify(withEventAlone(anEndpointOutboxRecord(about)));

    await expect(redriveEvents(letter, service)).resolves.toBe(true);
    expect(sent).toMatchObject([{ endpointId: other.id, eventType: "webhook_endpoint.disabled" }]);
  });

  test("publishes it if it can be read now", async () => {
    const { service, sent } = aService(anEndpoint(), anEndpoint());

    await expect(redriveEvents(JSON.stringify(anOutboxRecord()), service)).resolves.toBe(true);
    expect(sent).toHaveLength(2);
    // What waits or is dead-lettered does not hold them.
    expect(JSON.stringify(sent)).not.toMatch(/externalId|reasons/);
    // It begins anew: attempts of before make no copy of it.
    expect(sent.map(({ resentAt }) => resentAt)).toEqual([NOW.toISOString(), NOW.toISOString()]);
  });

  test.each([
    ["cannot be read yet", JSON.stringify(anOutboxRecord({ attributes: { status: "unheard-of" } }))],
    ["is no JSON", "nonsense"],
    ["is nothing", "null"],
    ["is something else", "{}"],
    ["is a batch that is not described whole", '{"DDBStreamBatchInfo":{}}'],
  ])("keeps it while it %s", async (_what, body) => {
    const { service, sent } = aService(anEndpoint());

    await expect(redriveEvents(body, service)).resolves.toBe(false);
    expect(sent).toEqual([]);
  });

  test("keeps it while the queue or the table fails", async () => {
    const { service, refused } = aService(anEndpoint());
    refused.push(0);
    await expect(redriveEvents(JSON.stringify(anOutboxRecord()), service)).resolves.toBe(false);

    service.endpoints.list.mockRejectedValue(new Error("throttled"));
    await expect(redriveEvents(JSON.stringify(anOutboxRecord()), service)).resolves.toBe(false);
  });

  test("that is not JSON keeps it and logs why", async () => {
    await redriveEvents("nonsense", aService().service);

    expect(JSON.parse(logs.text())).toMatchObject({
      level: "ERROR",
      message: "redrive failed",
      cause: { name: "SyntaxError" },
    });
  });
});

describe("redriving a failed stream batch", () => {
  const letter = JSON.stringify({
    requestContext: { condition: "RetryAttemptsExhausted" },
    DDBStreamBatchInfo: {
      shardId: "shardId-1",
      startSequenceNumber: "100",
      endSequenceNumber: "300",
      streamArn: "arn:aws:dynamodb:eu-west-1:1:table/t/stream/1",
      batchSize: 3,
    },
  });
  const inStream = ({ sequenceNumber, newImage }: OutboxRecord) => ({
    dynamodb: { SequenceNumber: sequenceNumber, NewImage: newImage as Record<string, AttributeValue> },
  });
  const at = (sequenceNumber: string, orgId = "acme") => inStream(anOutboxRecord({ sequenceNumber, orgId }));

  beforeEach(() => {
    streams.on(GetShardIteratorCommand).resolves({ ShardIterator: "start" });
  });

  test("reads it again from its first record to its last, and publishes it", async () => {
    streams
      .on(GetRecordsCommand, { ShardIterator: "start" })
      .resolves({ Records: [at("100"), at("200")], NextShardIterator: "next" });
    streams
      .on(GetRecordsCommand, { ShardIterator: "next" })
      .resolves({ Records: [at("300"), at("400")], NextShardIterator: "beyond" });
    const { service, sent } = aService(anEndpoint());

    await expect(redriveEvents(letter, service)).resolves.toBe(true);

    expect(sent).toHaveLength(3);
    expect(streams.commandCalls(GetShardIteratorCommand)[0]?.args[0].input).toEqual({
      StreamArn: "arn:aws:dynamodb:eu-west-1:1:table/t/stream/1",
      ShardId: "shardId-1",
      ShardIteratorType: "AT_SEQUENCE_NUMBER",
      SequenceNumber: "100",
    });
    expect(streams.commandCalls(GetRecordsCommand)).toHaveLength(2);
  });

  test("sends each event once, although another letter has some of them too", async () => {
    const [first, second, third] = [at("100"), at("200"), at("300")];
    const { service, sent, refused } = aService(anEndpoint());
    refused.push(1);
    streams.on(GetRecordsCommand).resolves({ Records: [first, second, third] });
    await expect(redriveEvents(letter, service)).resolves.toBe(false);
    refused.pop();
    sent.length = 0;

    await expect(redriveEvents(letter, service)).resolves.toBe(true);
    await expect(redriveEvents(letter, service)).resolves.toBe(true);

    // Only what the queue had refused.
    expect(sent).toHaveLength(1);
    expect(service.feed.append).toHaveBeenCalledTimes(2);
  });

  test("stops before a record after its last, which the stream need not return", async () => {
    streams.on(GetRecordsCommand).resolves({ Records: [at("200"), at("400")], NextShardIterator: "next" });
    const { service, sent } = aService(anEndpoint());

    await expect(redriveEvents(letter, service)).resolves.toBe(true);

    expect(sent).toHaveLength(1);
    expect(streams.commandCalls(GetRecordsCommand)).toHaveLength(1);
  });

  test("stops at its last record, after which an open shard has no end", async () => {
    streams
      .on(GetRecordsCommand, { ShardIterator: "start" })
      .resolves({ Records: [at("300")], NextShardIterator: "next" });
    streams.on(GetRecordsCommand, { ShardIterator: "next" }).resolves({});
    const { service, sent } = aService(anEndpoint());

    await expect(redriveEvents(letter, service)).resolves.toBe(true);

    expect(sent).toHaveLength(1);
    expect(streams.commandCalls(GetRecordsCommand)).toHaveLength(1);
  });

  test("stops at the end of its shard", async () => {
    streams.on(GetRecordsCommand).resolves({ Records: [at("100")] });
    const { service, sent } = aService(anEndpoint());

    await expect(redriveEvents(letter, service)).resolves.toBe(true);
    expect(sent).toHaveLength(1);
  });

  test("compares sequence numbers as numbers: 99…9 comes before 100…0", async () => {
    const batch = letter
      .replace('"100"', '"999999999999999999999"')
      .replace('"300"', '"1000000000000000000000"');
    streams.on(GetRecordsCommand).resolves({
      Records: [at("999999999999999999999"), at("1000000000000000000000"), at("1000000000000000000001")],
      NextShardIterator: "next",
    });
    const { service, sent } = aService(anEndpoint());

    await redriveEvents(batch, service);

    expect(sent).toHaveLength(2);
  });

  test("skips writes that fired no event", async () => {
    const { event: _, ...silent } = anOutboxRecord().newImage;
    streams.on(GetRecordsCommand).resolves({
      Records: [
        at("100"),
        inStream({ sequenceNumber: "200", newImage: silent }),
        inStream({
          sequenceNumber: "220",
          newImage: { ...silent, event: { S: "what a delivery's record keeps" } },
        }),
        { dynamodb: { SequenceNumber: "250" } },
        at("300"),
      ],
    });
    const { service, sent } = aService(anEndpoint());

    await expect(redriveEvents(letter, service)).resolves.toBe(true);
    expect(sent).toHaveLength(2);
  });

  test("keeps it while one of its events cannot be read or sent", async () => {
    streams.on(GetRecordsCommand).resolves({
      Records: [
        at("100"),
        inStream(anOutboxRecord({ sequenceNumber: "200", attributes: { status: "unheard-of" } })),
      ],
    });
    const { service } = aService(anEndpoint());

    await expect(redriveEvents(letter, service)).resolves.toBe(false);
  });

  test("keeps it if the stream no longer has its records", async () => {
    streams
      .on(GetShardIteratorCommand)
      .rejects(new TrimmedDataAccessException({ message: "trimmed", $metadata: {} }));
    const { service, sent } = aService(anEndpoint());

    await expect(redriveEvents(letter, service)).resolves.toBe(false);
    expect(sent).toEqual([]);
  });
});

describe("a dead letter in the list", () => {
  test("of a delivery shows its ids", () => {
    const { eventId, eventType, endpointId, orgId, ...delivery } = aDelivery();
    const body = JSON.stringify({ eventId, eventType, endpointId, orgId, ...delivery });

    expect(summaryOf("deliveries", body)).toEqual({
      queue: "deliveries",
      eventId,
      eventType,
      endpointId,
      orgId,
    });
  });

  test("of a parked event shows its ids", () => {
    const record = anOutboxRecord({
      orgId: "acme",
      type: "candidate.promoted",
      attributes: { status: "promoted" },
    });

    expect(summaryOf("events", JSON.stringify(record))).toEqual({
      queue: "events",
      eventId: record.newImage["event"]?.M?.["id"]?.S,
      eventType: "candidate.promoted",
      endpointId: null,
      orgId: "acme",
    });
  });

  test("of a parked event about an endpoint shows its ids, and the endpoint is not its receiver", () => {
    const record = anEndpointOutboxRecord(anEndpoint());

    expect(summaryOf("events", JSON.stringify(record))).toEqual({
      queue: "events",
      eventId: record.newImage["event"]?.M?.["id"]?.S,
      eventType: "webhook_endpoint.disabled",
      endpointId: null,
      orgId: "acme",
    });
  });

  test.each([
    "",
    "nonsense",
    "null",
    "[]",
    "{}",
    '{"DDBStreamBatchInfo":{}}',
    '{"sequenceNumber":"7","newImage":{}}',
  ])("that cannot be read shows only its queue: %j", (body) => {
    const untold = { eventId: null, eventType: null, endpointId: null, orgId: null };

    expect(summaryOf("deliveries", body)).toEqual({ queue: "deliveries", ...untold });
    expect(summaryOf("events", body)).toEqual({ queue: "events", ...untold });
    expect(logs.text()).not.toContain("ERROR");
  });

  test("contains no data of the candidate", () => {
    expect(JSON.stringify(summaryOf("deliveries", JSON.stringify(aDelivery())))).not.toContain("ext-1");
    expect(JSON.stringify(summaryOf("events", JSON.stringify(anOutboxRecord())))).not.toMatch(
      /ext-|Adelaide/,
    );
  });
});
