import { DynamoDBClient } from "@aws-sdk/client-dynamodb";
import { DynamoDBDocumentClient, GetCommand, UpdateCommand } from "@aws-sdk/lib-dynamodb";
import { mockClient } from "aws-sdk-client-mock";
import { afterAll, beforeAll, describe, expect, inject, test } from "vitest";
import { newEventId } from "#contract/identifiers";
import { runtime } from "#runtime/runtime";
import type { Delivery } from "#webhooks/delivery/delivery";
import { DeliveryLog } from "#webhooks/delivery/delivery-log";
import { deliveryRecordKey, PARTITION_KEYS } from "#webhooks/delivery/delivery-record-key";
import { aStore, type Store } from "../../candidates/candidate-store.ts";
import { aDelivery, anAttempt, NOW } from "../builders.ts";

const LATER = new Date(NOW.getTime() + 3_600_000);

let store: Store;
beforeAll(async () => {
  store = await aStore(inject("dynamoDbEndpoint"));
});
afterAll(() => store?.close());

const log = () => new DeliveryLog(store.client, store.tableName, () => NOW);

async function item(delivery: Delivery): Promise<Record<string, unknown> | undefined> {
  const { Item } = await store.client.send(
    new GetCommand({
      TableName: store.tableName,
      Key: deliveryRecordKey(delivery.endpointId, delivery.eventId),
    }),
  );
  return Item;
}

describe("a delivery's record", () => {
  test("contains all attempts and the status of the last one", async () => {
    const delivery = aDelivery();

    await log().record(delivery, {
      status: "pending",
      lastAttempt: anAttempt(1, { failure: "timeout" }),
      nextAttemptAt: LATER.toISOString(),
    });
    await expect(log().find(delivery.endpointId, delivery.eventId)).resolves.toMatchObject({
      record: { status: "pending", nextAttemptAt: LATER.toISOString() },
    });
    await log().record(
      { ...delivery, attempt: 2 },
      { status: "delivered", lastAttempt: anAttempt(2, { statusCode: 204 }) },
    );

    const found = await log().find(delivery.endpointId, delivery.eventId);
    const { orgId, endpointId, eventId, eventType } = delivery;
    expect(found?.record).toEqual({
      orgId,
      endpointId,
      eventId,
      eventType,
      status: "delivered",
      attempts: [anAttempt(1, { failure: "timeout" }), anAttempt(2, { statusCode: 204 })],
    });
  });

  test.each(["pending", "failed", "dropped"] as const)(
    "stays delivered, whatever the outcome of a duplicate: %s",
    async (status) => {
      const delivery = aDelivery();
      await log().record(delivery, { status: "delivered", lastAttempt: anAttempt(1, { statusCode: 204 }) });

      await log().record(delivery, {
        status,
        lastAttempt: anAttempt(2, { statusCode: 500 }),
        nextAttemptAt: LATER.toISOString(),
      });
      await log().record(delivery, { status });

      const found = await log().find(delivery.endpointId, delivery.eventId);
      expect(found?.record).toMatchObject({
        status: "delivered",
        attempts: [anAttempt(1, { statusCode: 204 }), anAttempt(2, { statusCode: 500 })],
      });
      expect(found?.record).not.toHaveProperty("nextAttemptAt");
    },
  );

  test.each(["pending", "delivered", "failed"] as const)(
    "contains an attempt once, although the response was lost and the request repeated: %s",
    async (status) => {
      const delivery = aDelivery();
      const outcome = { status, lastAttempt: anAttempt(1, { statusCode: 204 }) };
      for (const each of [outcome, outcome]) await log().record(delivery, each);
      // Of a late duplicate, too.
      const late = { status: "pending", lastAttempt: anAttempt(2, { statusCode: 500 }) } as const;
      for (const each of [late, late]) await log().record(delivery, each);

      const found = await log().find(delivery.endpointId, delivery.eventId);
      expect(found?.record).toMatchObject({ attempts: [outcome.lastAttempt, late.lastAttempt] });
    },
  );

  test.each(["failed", "dropped"] as const)(
    "with the status %s is pending again after a resend, but not after a late duplicate",
    async (status) => {
      const delivery = aDelivery();
      const next = { status: "pending", nextAttemptAt: LATER.toISOString() } as const;
      await log().record(delivery, { status, lastAttempt: anAttempt(11, { statusCode: 500 }) });

      await log().record(delivery, { ...next, lastAttempt: anAttempt(1, { statusCode: 500 }) });
      const late = await log().find(delivery.endpointId, delivery.eventId);
      await log().record({ ...delivery, resentAt: NOW.toISOString() }, next);
      const again = await log().find(delivery.endpointId, delivery.eventId);

      expect(late?.record).toMatchObject({ status, attempts: [{ attempt: 11 }, { attempt: 1 }] });
      expect(late?.record).not.toHaveProperty("nextAttemptAt");
      expect(again?.record).toMatchObject(next);
    },
  );

  test.each(["failed", "dropped"] as const)(
    "is pending until the later of two runs ends, although the other one is %s",
    async (status) => {
      const delivery = aDelivery();
      const resent = { ...delivery, resentAt: NOW.toISOString() };
      await log().record(resent, { status: "pending", nextAttemptAt: LATER.toISOString() });

      await log().record(delivery, { status, lastAttempt: anAttempt(11, { statusCode: 500 }) });
      const afterOne = await log().find(delivery.endpointId, delivery.eventId);
      await log().record({ ...resent, dueAt: LATER.toISOString() }, { status });
      const afterBoth = await log().find(delivery.endpointId, delivery.eventId);

      expect(afterOne?.record).toMatchObject({
        status: "pending",
        nextAttemptAt: LATER.toISOString(),
        attempts: [{ attempt: 11 }],
      });
      expect(afterBoth?.record).toMatchObject({ status, attempts: [{ attempt: 11 }] });
      expect(afterBoth?.record).not.toHaveProperty("nextAttemptAt");
    },
  );

  test("names the next attempt of the run that recorded one last, also if the other run's is later", async () => {
    const delivery = aDelivery();
    const resent = { ...delivery, resentAt: NOW.toISOString() };
    await log().record(delivery, { status: "pending", nextAttemptAt: LATER.toISOString() });

    const sooner = new Date(LATER.getTime() - 1).toISOString();
    await log().record(resent, { status: "pending", nextAttemptAt: sooner });

    const found = await log().find(delivery.endpointId, delivery.eventId);
    expect(found?.record.nextAttemptAt).toBe(sooner);
  });

  test("updated without an attempt keeps its attempts", async () => {
    const delivery = aDelivery();
    await log().record(delivery, { status: "pending", lastAttempt: anAttempt(1, { statusCode: 500 }) });

    await log().record(delivery, { status: "dropped" });

    const found = await log().find(delivery.endpointId, delivery.eventId);
    expect(found?.record).toMatchObject({ status: "dropped", attempts: [anAttempt(1, { statusCode: 500 })] });
  });

  test("keeps the reason for being dropped until its status changes", async () => {
    const delivery = aDelivery();
    const reasonAfter = async (outcome: Parameters<DeliveryLog["record"]>[1]) => {
      await log().record(delivery, outcome);
      return (await log().find(delivery.endpointId, delivery.eventId))?.record.reason;
    };

    await expect(reasonAfter({ status: "dropped", reason: "candidate_erased" })).resolves.toBe(
      "candidate_erased",
    );
    // By an attempt that was under way as the candidate was erased.
    await expect(
      reasonAfter({ status: "delivered", lastAttempt: anAttempt(1, { statusCode: 204 }) }),
    ).resolves.toBeUndefined();
  });

  test("contains no externalId and expires after 30 days", async () => {
    const delivery = aDelivery();

    await log().record(delivery, { status: "delivered", lastAttempt: anAttempt(1, { statusCode: 200 }) });

    const stored = await item(delivery);
    expect(JSON.stringify(stored)).not.toMatch(/ext-1|externalId/);
    expect(JSON.parse(String(stored?.["event"]))).toMatchObject({ data: { status: "received" } });
    expect(stored?.["deleteAfter"]).toBe(NOW.getTime() / 1000 + 30 * 24 * 3_600);
  });

  test("is not found by another endpoint or event", async () => {
    const delivery = aDelivery();
    await log().record(delivery, { status: "delivered" });

    await expect(log().find(delivery.endpointId, newEventId(runtime))).resolves.toBeUndefined();
    await expect(log().find(aDelivery().endpointId, delivery.eventId)).resolves.toBeUndefined();
  });
});

describe("the delivery records of an endpoint", () => {
  test("are listed newest first, page by page, without another endpoint's", async () => {
    const { endpointId } = aDelivery();
    const eventIds = Array.from({ length: 7 }, (_, index) => `evt_${index}`);
    for (const eventId of eventIds) {
      await log().record(aDelivery({ endpointId, eventId }), { status: "delivered" });
    }
    await log().record(aDelivery({ eventId: "evt_9" }), { status: "delivered" });

    const newestFirst = eventIds.toReversed();
    const first = await log().list(endpointId, { limit: 3 });
    const second = await log().list(endpointId, { limit: 3, after: first.at(-1)?.eventId });
    const third = await log().list(endpointId, { limit: 3, after: second.at(-1)?.eventId });

    expect([...first, ...second, ...third].map(({ eventId }) => eventId)).toEqual(newestFirst);
    expect(third).toHaveLength(1);
  });

  test("are all listed, even beyond one page of DynamoDB", async () => {
    const { endpointId } = aDelivery();
    // Each record nearly fills an item, and a page holds 1 MB.
    const filling = "x".repeat(390_000);
    for (const delivery of deliveriesOfOnePartition(endpointId, 4)) {
      await log().record(delivery, { status: "delivered" });
      await store.client.send(
        new UpdateCommand({
          TableName: store.tableName,
          Key: deliveryRecordKey(endpointId, delivery.eventId),
          UpdateExpression: "SET filling = :filling",
          ExpressionAttributeValues: { ":filling": filling },
        }),
      );
    }

    await expect(log().list(endpointId, { limit: 100 })).resolves.toHaveLength(4);
    await expect(log().list(endpointId, { limit: 3 })).resolves.toHaveLength(3);
  });

  function deliveriesOfOnePartition(endpointId: string, count: number): Delivery[] {
    // So many that one partition key has at least `count` of them.
    const length = (count - 1) * PARTITION_KEYS + 1;
    const deliveries = Array.from({ length }, () => aDelivery({ endpointId }));
    const byPartition = Map.groupBy(deliveries, ({ eventId }) => deliveryRecordKey(endpointId, eventId).pk);
    const full = [...byPartition.values()].find((same) => same.length >= count);
    return full?.slice(0, count) ?? [];
  }

  test("are an empty list if there are none", async () => {
    await expect(log().list(aDelivery().endpointId, { limit: 10 })).resolves.toEqual([]);
  });
});

describe("the delivery log, if DynamoDB fails,", () => {
  const client = DynamoDBDocumentClient.from(new DynamoDBClient({ region: "eu-west-1" }));
  const table = mockClient(client);

  test("throws the error to its caller", async () => {
    table.on(UpdateCommand).rejects(new Error("outage"));

    await expect(
      new DeliveryLog(client, "t", runtime.now).record(aDelivery(), { status: "delivered" }),
    ).rejects.toThrow("outage");
  });

  test("throws for a body that is not JSON, only when it is awaited", async () => {
    const recording = new DeliveryLog(client, "t", runtime.now).record(aDelivery({ body: "nonsense" }), {
      status: "dropped",
    });

    await expect(recording).rejects.toThrow(SyntaxError);
  });
});
