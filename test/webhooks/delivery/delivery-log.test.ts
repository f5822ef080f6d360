import { ConditionalCheckFailedException, DynamoDBClient } from "@aws-sdk/client-dynamodb";
import { DynamoDBDocumentClient, GetCommand, QueryCommand, UpdateCommand } from "@aws-sdk/lib-dynamodb";
import { mockClient } from "aws-sdk-client-mock";
import { beforeAll, beforeEach, describe, expect, test } from "vitest";
import { newEventId } from "#contract/identifiers";
import { runtime } from "#runtime/runtime";
import { DeliveryLog, type DeliveryRecord } from "#webhooks/delivery/delivery-log";
import { deliveryRecordKey, partitionKeysOf } from "#webhooks/delivery/delivery-record-key";
import { SimulatedStore } from "../../simulation/simulated-store.ts";
import { aDelivery } from "../builders.ts";

const client = DynamoDBDocumentClient.from(new DynamoDBClient({ region: "eu-west-1" }));
const table = mockClient(client);
const mocked = new DeliveryLog(client, "candidates", runtime.now);

beforeEach(() => {
  table.reset();
});

const aRecord = (): DeliveryRecord => ({
  endpointId: "whe_1",
  orgId: "acme",
  eventId: newEventId(runtime),
  eventType: "candidate.received",
  status: "delivered",
  attempts: [],
});

test.each([
  ["takes one query for each partition key, if each has its share", (index: number) => index % 10, 10],
  ["queries a partition key again only when what it returned is listed", () => 0, 14],
])("a list of ten delivery records %s", async (_what, keyOf, queries) => {
  const newestFirst = Array.from({ length: 30 }, aRecord).sort((left, right) =>
    left.eventId < right.eventId ? 1 : -1,
  );
  for (const [number, pk] of partitionKeysOf("whe_1").entries()) {
    const ofKey = newestFirst.filter((_, index) => keyOf(index) === number);
    table
      .on(QueryCommand, { ExpressionAttributeValues: { ":pk": pk, ":delivery": "DELIVERY#" } })
      .callsFake(({ Limit, ExclusiveStartKey: { from } = { from: 0 } }) => ({
        Items: ofKey.slice(from, from + Limit),
        ...(from + Limit < ofKey.length && { LastEvaluatedKey: { from: from + Limit } }),
      }));
  }

  const listed = await mocked.list("whe_1", { limit: 10 });

  expect(listed.map(({ eventId }) => eventId)).toEqual(
    newestFirst.slice(0, 10).map(({ eventId }) => eventId),
  );
  const asked = table.commandCalls(QueryCommand).map(({ args: [{ input }] }) => input.Limit);
  expect(asked).toEqual(Array(queries).fill(2));
});

describe("the delivery records of an endpoint with many", () => {
  const store = new SimulatedStore();
  const log = new DeliveryLog(store.client, store.tableName, store.now);
  const { endpointId } = aDelivery();
  const eventIds = Array.from({ length: 600 }, () => newEventId(runtime)).sort();
  beforeAll(async () => {
    for (const eventId of eventIds)
      await log.record(aDelivery({ endpointId, eventId }), { status: "delivered" });
    await log.record(aDelivery(), { status: "delivered" });
  });

  test("are spread evenly over ten partition keys", () => {
    const keys = [...store.table.items()]
      .map(({ pk }) => JSON.stringify(pk))
      .filter((pk) => pk.includes(endpointId));

    const sizes = Object.values(Object.groupBy(keys, (pk) => pk)).map((same = []) => same.length);
    expect(sizes).toHaveLength(10);
    expect(Math.max(...sizes)).toBeLessThan(120);
  });

  test.each([1, 7, 50, 599, 600, 601])("are listed newest first, in pages of %i", async (limit) => {
    const listed: string[] = [];
    for (;;) {
      const page = await log.list(endpointId, { limit, after: listed.at(-1) });
      listed.push(...page.map(({ eventId }) => eventId));
      if (page.length < limit) break;
    }

    expect(listed).toEqual(eventIds.toReversed());
  });

  test("are each found", async () => {
    for (const eventId of eventIds.slice(0, 20)) {
      expect((await log.find(endpointId, eventId))?.record).toMatchObject({ endpointId, eventId });
    }
  });
});

test("a delivery record is not looked up by a malformed event id", async () => {
  expect(await mocked.find("whe_1", "evt_1")).toBeUndefined();
  expect(table.calls()).toEqual([]);
});

test.each([true, undefined] as const)(
  "only the delivery record of a sample is marked as one (%s)",
  async (sample) => {
    const store = new SimulatedStore();
    const log = new DeliveryLog(store.client, store.tableName, store.now);
    const delivery = aDelivery(sample ? { sample } : {});

    await log.record(delivery, { status: "delivered" });

    expect((await log.find(delivery.endpointId, delivery.eventId))?.record.sample).toBe(sample);
  },
);

test("a delivery record is stored with the names with which it is listed", async () => {
  const store = new SimulatedStore();
  const log = new DeliveryLog(store.client, store.tableName, store.now);
  const delivery = aDelivery();
  const attempt = {
    attempt: 1,
    at: "2026-11-21T09:01:00.400Z",
    durationMs: 10_000,
    failure: "timeout",
  } as const;
  const nextAttemptAt = "2026-11-21T09:02:18.200Z";

  await log.record(delivery, { status: "pending", lastAttempt: attempt, nextAttemptAt });

  const { Item: item } = await store.client.send(
    new GetCommand({
      TableName: store.tableName,
      Key: deliveryRecordKey(delivery.endpointId, delivery.eventId),
    }),
  );
  const listed = { status: "pending", attempts: [attempt], nextAttemptAt };
  expect(item).toMatchObject(listed);
  expect((await log.find(delivery.endpointId, delivery.eventId))?.record).toMatchObject(listed);
});

test("a resent delivery that fails stays delivered, and its attempt is recorded", async () => {
  const store = new SimulatedStore();
  const log = new DeliveryLog(store.client, store.tableName, store.now);
  const delivery = aDelivery();
  const resent = { ...delivery, resentAt: "2026-11-21T10:00:00.000Z" };
  const attempt = { attempt: 1, at: "2026-11-21T10:00:00.400Z", durationMs: 12, statusCode: 500 };
  await log.record(delivery, { status: "delivered" });

  await log.record(resent, { status: "failed", lastAttempt: attempt });

  expect((await log.find(delivery.endpointId, delivery.eventId))?.record).toMatchObject({
    status: "delivered",
    attempts: [attempt],
  });
});

test("a fault of the table is thrown, whatever the outcome to record", async () => {
  table.on(UpdateCommand).rejects(new Error("outage"));

  for (const status of ["delivered", "failed"] as const) {
    await expect(mocked.record(aDelivery(), { status })).rejects.toThrow("outage");
  }
});

describe("recording an outcome", () => {
  const attempt = { attempt: 1, at: "2026-06-01T12:00:00.000Z", durationMs: 12, statusCode: 500 };

  test.each([
    ["with an attempt", { status: "pending", lastAttempt: attempt } as const],
    ["without one", { status: "dropped" } as const],
  ])("%s takes one request", async (_what, outcome) => {
    table.on(UpdateCommand).resolves({});

    await mocked.record(aDelivery(), outcome);

    expect(table.commandCalls(UpdateCommand)).toHaveLength(1);
  });

  test("without an attempt takes one request also if the record has ended", async () => {
    table
      .on(UpdateCommand)
      .rejects(
        new ConditionalCheckFailedException({ message: "The conditional request failed", $metadata: {} }),
      );

    await mocked.record(aDelivery(), { status: "pending" });

    expect(table.commandCalls(UpdateCommand)).toHaveLength(1);
  });
});
