import { DynamoDBClient } from "@aws-sdk/client-dynamodb";
import { DynamoDBDocumentClient, QueryCommand } from "@aws-sdk/lib-dynamodb";
import { mockClient } from "aws-sdk-client-mock";
import { beforeEach, expect, test } from "vitest";
import { newEventId } from "#contract/identifiers";
import { runtime } from "#runtime/runtime";
import { DeliveryLog, type DeliveryRecord } from "#webhooks/delivery/delivery-log";
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
  eventId: newEventId(),
  eventType: "candidate.received",
  status: "delivered",
  attempts: [],
});

test.each([
  ["are what DynamoDB returned first, where that is enough", [3, 1], 1],
  ["go on where it returned fewer, and are no more than were asked for", [2, 3], 2],
])("the delivery records of a list %s", async (_what, pages, queries) => {
  const [first = [], second = []] = pages.map((count) => Array.from({ length: count }, aRecord));
  const items = (records: DeliveryRecord[]) =>
    records.map(({ attempts, ...record }) => ({ ...record, tries: attempts }));
  table
    .on(QueryCommand)
    .resolvesOnce({ Items: items(first), LastEvaluatedKey: { pk: "ENDPOINT#whe_1" } })
    .resolves({ Items: items(second) });

  expect(await mocked.list("whe_1", { limit: 3 })).toEqual([...first, ...second].slice(0, 3));

  const asked = table.commandCalls(QueryCommand).map(({ args: [{ input }] }) => input.Limit);
  expect(asked).toEqual(Array(queries).fill(3));
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

test("a delivery record is stored with the attribute names of the first version", async () => {
  const store = new SimulatedStore();
  const log = new DeliveryLog(store.client, store.tableName, store.now);
  const delivery = aDelivery();
  const nextAttemptAt = "2026-11-21T09:02:18.200Z";
  const attempt = { attempt: 1, at: "2026-11-21T09:01:00.400Z", durationMs: 10_000 };

  await log.record(delivery, {
    status: "pending",
    lastAttempt: { ...attempt, failure: "timeout" },
    nextAttemptAt,
  });

  const { Items: [item] = [] } = await store.client.send(
    new QueryCommand({
      TableName: store.tableName,
      KeyConditionExpression: "pk = :pk",
      ExpressionAttributeValues: { ":pk": `ENDPOINT#${delivery.endpointId}` },
    }),
  );
  expect(item).toMatchObject({ tries: [{ ...attempt, failure: "time_out" }], nextTryAt: nextAttemptAt });
  expect(item).not.toHaveProperty("attempts");
  expect((await log.find(delivery.endpointId, delivery.eventId))?.record).toMatchObject({
    attempts: [{ ...attempt, failure: "timeout" }],
    nextAttemptAt,
  });
});
