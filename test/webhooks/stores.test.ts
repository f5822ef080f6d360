import { DynamoDBClient, TransactionConflictException } from "@aws-sdk/client-dynamodb";
import {
  DeleteCommand,
  DynamoDBDocumentClient,
  GetCommand,
  TransactWriteCommand,
  UpdateCommand,
} from "@aws-sdk/lib-dynamodb";
import { mockClient } from "aws-sdk-client-mock";
import { afterAll, beforeAll, beforeEach, describe, expect, inject, onTestFinished, test, vi } from "vitest";
import { transition } from "#candidates/change";
import { digestOf, parseHandle, stagedIdOf } from "#candidates/handles";
import { completed } from "#candidates/outbox/abridged-event";
import { CandidateLives } from "#candidates/outbox/candidate-lives";
import { readOutbox } from "#candidates/outbox/outbox";
import { sampleEvent } from "#candidates/outbox/sample-event";
import { CandidateRepository } from "#candidates/store/candidate-repository";
import { candidateKey } from "#candidates/store/item/candidate-key";
import { CandidateSubmission } from "#contract/candidate-submission";
import { isEndpointEvent } from "#contract/events";
import { newEventId } from "#contract/identifiers";
import { runtime } from "#runtime/runtime";
import { type Delivery, deliveryOf, withoutBody } from "#webhooks/delivery/delivery";
import { DeliveryLog } from "#webhooks/delivery/delivery-log";
import { deliveryRecordKey, PARTITION_KEYS } from "#webhooks/delivery/delivery-record-key";
import { deliveryAgain } from "#webhooks/delivery/resend";
import { PARTITIONS, WaitingDeliveries } from "#webhooks/delivery/waiting-deliveries";
import { EndpointHealthRepository } from "#webhooks/endpoints/endpoint-health-repository";
import { SealedSecretRepository } from "#webhooks/endpoints/sealed-secret-repository";
import { WebhookEndpointRepository } from "#webhooks/endpoints/webhook-endpoint-repository";
import { ACME } from "../builders/organisation.ts";
import { runtimeAt } from "../builders/runtime.ts";
import { aFullSubmission } from "../builders/submission.ts";
import { aStore, type Store } from "../lifecycle/candidate-store.ts";
import { aDelivery, anEndpoint, NOW } from "./builders.ts";

const LATER = new Date(NOW.getTime() + 3_600_000);

let store: Store;
beforeAll(async () => {
  store = await aStore(inject("dynamoDbEndpoint"));
});
afterAll(() => store?.close());

const log = () => new DeliveryLog(store.client, store.tableName, () => NOW);
const health = (now = NOW) =>
  new EndpointHealthRepository(store.client, store.tableName, {
    ...runtimeAt(() => now),
    schedule: "standard",
  });
const secrets = () => new SealedSecretRepository(store.client, store.tableName, () => NOW);
const endpoints = () => new WebhookEndpointRepository(store.client, store.tableName, () => NOW);
const lives = () => new CandidateLives(store.client, store.tableName, runtime);
const writes = () => new CandidateRepository(store.client, store.tableName, runtime);

async function item(delivery: Delivery): Promise<Record<string, unknown> | undefined> {
  const { Item } = await store.client.send(
    new GetCommand({
      TableName: store.tableName,
      Key: deliveryRecordKey(delivery.endpointId, delivery.eventId),
    }),
  );
  return Item;
}

const anAttempt = (attempt: number, outcome: object) => ({
  attempt,
  at: NOW.toISOString(),
  durationMs: 12,
  ...outcome,
});

test("a delivery that waits in the table is due at its time, until it is removed", async () => {
  const waiting = new WaitingDeliveries(store.client, store.tableName);
  const delivery = withoutBody(aDelivery({ attempt: 5, dueAt: LATER.toISOString() }));
  const partitions = Array.from({ length: PARTITIONS }, (_, partition) => partition);
  const dueBefore = async (moment: Date) => {
    const pages = partitions.map((partition) => Array.fromAsync(waiting.dueBefore(moment, partition)));
    return (await Promise.all(pages)).flat(2).filter(({ key }) => key.sk.includes(delivery.eventId));
  };
  await waiting.add(delivery);
  await waiting.add(delivery);

  const early = await dueBefore(new Date(LATER.getTime() - 1));
  const due = await dueBefore(new Date(LATER.getTime() + 1));
  expect(early).toEqual([]);
  expect(due.map(({ message }) => JSON.parse(message))).toEqual([delivery]);

  await waiting.remove(due);
  expect(await dueBefore(new Date(LATER.getTime() + 1))).toEqual([]);
});

test("hundreds of deliveries that wait in the table are removed in one call", async () => {
  const waiting = new WaitingDeliveries(store.client, store.tableName);
  const due = new Date("2030-01-01T00:00:00.000Z");
  const deliveries = Array.from({ length: 260 }, () =>
    withoutBody(aDelivery({ attempt: 5, dueAt: due.toISOString() })),
  );
  await Promise.all(deliveries.map((delivery) => waiting.add(delivery)));
  const after = new Date(due.getTime() + 1);

  const pages = await Array.fromAsync(waiting.dueBefore(after, 0));
  expect(pages.map(({ length }) => length)).toEqual([250, 10]);
  for (const page of pages) await waiting.remove(page);

  expect(await Array.fromAsync(waiting.dueBefore(after, 0))).toEqual([]);
});

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

describe("a resent delivery", () => {
  let externalId: string;
  let serial = 0;
  const ORG = "acme";

  beforeEach(async () => {
    serial += 1;
    externalId = `resent-${serial}-ü-😀`;
    await store.firedSinceLastAsked();
  });

  const handle = () => parseHandle(stagedIdOf(digestOf(ACME, externalId)));
  const receive = () => writes().receive(ACME, CandidateSubmission.parse(aFullSubmission({ externalId })));
  const service = () => ({
    lives: lives(),
    endpoints: endpoints(),
    log: log(),
    now: () => LATER,
  });

  async function registered() {
    const { id } = anEndpoint();
    await endpoints().register(
      ORG,
      id,
      { url: "https://receiver.example.com/", eventTypes: ["candidate.received"] },
      "1.sealed",
    );
    return id;
  }

  /** What posts the same bytes as a delivery did, once the record of its candidate has been read. */
  async function bytesOf({ event, body }: Delivery): Promise<string | undefined> {
    if (!event || isEndpointEvent(event)) return body;
    return JSON.stringify(completed(event, await lives().find(ORG, event.data.stagedId)));
  }

  /** The deliveries of all events fired since, as they were first made and logged. */
  async function delivered(endpointId: string): Promise<Delivery[]> {
    const deliveries = (await store.firedSinceLastAsked()).map((record) => {
      const { event, orgId } = readOutbox(record);
      return deliveryOf(event, orgId, endpointId, NOW);
    });
    for (const delivery of deliveries) await log().record(delivery, { status: "delivered" });
    return deliveries;
  }

  test("has the same id and bytes, and starts from its first attempt", async () => {
    const endpointId = await registered();
    await receive();
    const reasons = [{ code: "other", message: "ü 😀" }];
    for (const step of [
      transition("fail-validation", reasons),
      transition("verify"),
      transition("promote"),
      transition("revoke-consent"),
    ]) {
      await writes().change(ORG, handle(), step);
    }
    const deliveries = await delivered(endpointId);
    expect(deliveries).toHaveLength(5);

    for (const delivery of deliveries) {
      const again = await deliveryAgain(ORG, endpointId, delivery.eventId, service());
      expect(again).toEqual({
        ...withoutBody(delivery),
        dueAt: LATER.toISOString(),
        resentAt: expect.any(String),
      });
      expect(JSON.stringify(again)).not.toMatch(/resent-|ü 😀/);
      expect(await bytesOf(again)).toBe(delivery.body);
    }
  });

  test("is refused after the candidate's erasure, except for candidate.erased", async () => {
    const endpointId = await registered();
    await receive();
    await writes().change(ORG, handle(), transition("erase"));
    const [received, erased] = await delivered(endpointId);

    await expect(deliveryAgain(ORG, endpointId, received?.eventId ?? "", service())).rejects.toMatchObject({
      code: "invalid_request",
    });
    const again = await deliveryAgain(ORG, endpointId, erased?.eventId ?? "", service());
    expect(again).toMatchObject({ eventId: erased?.eventId, dueAt: LATER.toISOString() });
    expect(await bytesOf(again)).toBe(erased?.body);
  });

  test("is refused for every event before an erasure if the candidate was created again", async () => {
    const endpointId = await registered();
    await receive();
    await writes().change(ORG, handle(), transition("erase"));
    await receive();
    const [received, erased, again] = await delivered(endpointId);

    for (const event of [received, erased]) {
      await expect(deliveryAgain(ORG, endpointId, event?.eventId ?? "", service())).rejects.toMatchObject({
        code: "invalid_request",
        message: expect.stringContaining("has not been erased"),
      });
    }
    const resent = await deliveryAgain(ORG, endpointId, again?.eventId ?? "", service());
    expect(await bytesOf(resent)).toBe(again?.body);
  });

  test("is refused after the tombstone's expiry, except for candidate.erased", async () => {
    const endpointId = await registered();
    await receive();
    await writes().change(ORG, handle(), transition("erase"));
    const [received, erased] = await delivered(endpointId);
    await store.client.send(
      new DeleteCommand({ TableName: store.tableName, Key: candidateKey(ORG, handle().digest) }),
    );

    await expect(deliveryAgain(ORG, endpointId, received?.eventId ?? "", service())).rejects.toMatchObject({
      code: "invalid_request",
    });
    const again = await deliveryAgain(ORG, endpointId, erased?.eventId ?? "", service());
    expect(await bytesOf(again)).toBe(erased?.body);
  });

  test("is not found by another organisation", async () => {
    const endpointId = await registered();
    await receive();
    const [received] = await delivered(endpointId);
    const eventId = received?.eventId ?? "";

    await expect(deliveryAgain("other", endpointId, eventId, service())).rejects.toMatchObject({
      code: "not_found",
    });
    const anybodys = { get: async () => anEndpoint({ id: endpointId, orgId: "other" }) };
    await expect(
      deliveryAgain("other", endpointId, eventId, {
        ...service(),
        endpoints: anybodys,
        lives: { find: (_orgId, stagedId) => lives().find(ORG, stagedId) },
      }),
    ).rejects.toMatchObject({ code: "not_found" });
  });

  test("is refused for an inactive endpoint and not found for a deleted one", async () => {
    const endpointId = await registered();
    await receive();
    const [received] = await delivered(endpointId);
    const eventId = received?.eventId ?? "";

    await health().deactivate(anEndpoint({ id: endpointId }), "gone", NOW.toISOString());
    await expect(deliveryAgain(ORG, endpointId, eventId, service())).rejects.toMatchObject({
      code: "invalid_request",
    });

    await endpoints().delete(ORG, endpointId);
    await expect(deliveryAgain(ORG, endpointId, eventId, service())).rejects.toMatchObject({
      code: "not_found",
    });
  });

  test("is not found if the endpoint never had it", async () => {
    const endpointId = await registered();

    await expect(deliveryAgain(ORG, endpointId, newEventId(runtime), service())).rejects.toMatchObject({
      code: "not_found",
    });
  });

  test("is refused after a hundred attempts", async () => {
    const endpointId = await registered();
    await receive();
    const [received] = await delivered(endpointId);
    if (!received) throw new Error("There is an event.");
    const eventId = received.eventId;
    const attempts = Array.from({ length: 98 }, (_, index) => anAttempt(index + 1, { statusCode: 500 }));
    await store.client.send(
      new UpdateCommand({
        TableName: store.tableName,
        Key: deliveryRecordKey(endpointId, eventId),
        UpdateExpression: "SET tries = :tries",
        ExpressionAttributeValues: { ":tries": attempts },
      }),
    );
    for (const attempt of [99, 100]) {
      await expect(deliveryAgain(ORG, endpointId, eventId, service())).resolves.toMatchObject({ eventId });
      await log().record(received, {
        status: "failed",
        lastAttempt: anAttempt(attempt, { statusCode: 500 }),
      });
    }

    await expect(deliveryAgain(ORG, endpointId, eventId, service())).rejects.toMatchObject({
      code: "invalid_request",
    });
  });

  test("is refused if it was a sample", async () => {
    const endpointId = await registered();
    const sample = deliveryOf(
      sampleEvent(
        "candidate.received",
        runtimeAt(() => NOW),
      ),
      ORG,
      endpointId,
      NOW,
    );
    await log().record(sample, { status: "delivered" });

    await expect(deliveryAgain(ORG, endpointId, sample.eventId, service())).rejects.toMatchObject({
      code: "invalid_request",
    });
  });
});

describe("the webhook endpoint repository", () => {
  const registration = {
    url: "https://receiver.example.com/",
    eventTypes: ["candidate.received" as const],
  };
  const register = (orgId: string) => {
    const { id } = anEndpoint();
    return endpoints().register(orgId, id, registration, "1.sealed");
  };
  const registerProven = async (orgId: string) => {
    const endpoint = await register(orgId);
    await health().succeeded(await endpoints().get(orgId, endpoint.id), 12);
    return endpoint;
  };

  test("lists an organisation's endpoints oldest first, and no other's", async () => {
    const registered = [];
    for (let count = 0; count < 5; count++) {
      registered.push(await register("listed"));
      // Ids sort by the millisecond.
      await new Promise((resolve) => setTimeout(resolve, 2));
    }
    await register("unlisted");

    const listed = await endpoints().list("listed");

    expect(listed.map(({ id }) => id)).toEqual(registered.map(({ id }) => id));
  });

  test("accepts fifty endpoints and refuses more; a deletion makes room for one", async () => {
    const first = await register("full");
    for (let count = 1; count < 50; count++) await register("full");

    await expect(register("full")).rejects.toMatchObject({
      code: "invalid_request",
      message: expect.stringContaining("50"),
    });
    const deletions = await Promise.allSettled(
      Array.from({ length: 3 }, () => endpoints().delete("full", first.id)),
    );
    expect(deletions.filter(({ status }) => status === "fulfilled")).toHaveLength(1);
    await expect(endpoints().delete("full", first.id)).rejects.toMatchObject({ code: "not_found" });

    const registrations = await Promise.allSettled(Array.from({ length: 5 }, () => register("full")));
    expect(registrations.filter(({ status }) => status === "fulfilled")).toHaveLength(1);
    await expect(endpoints().list("full")).resolves.toHaveLength(50);
  });

  test.each(["", "whe_", "whe_1", "staged_x", `whe_${"u".repeat(26)}`, `${anEndpoint().id}#x`])(
    "finds no endpoint by a malformed id: %j",
    async (id) => {
      await expect(endpoints().find("acme", id)).resolves.toBeUndefined();
      await expect(endpoints().get("acme", id)).rejects.toMatchObject({ code: "not_found" });
      await expect(endpoints().delete("acme", id)).rejects.toMatchObject({ code: "not_found" });
    },
  );

  test("finds an endpoint only in its own organisation", async () => {
    const { id } = await register("owner");

    await expect(endpoints().get("owner", id)).resolves.toMatchObject({ id, active: true });
    await expect(endpoints().get("other", id)).rejects.toMatchObject({ code: "not_found" });
    await expect(endpoints().delete("other", id)).rejects.toMatchObject({ code: "not_found" });
    await expect(endpoints().find("owner", id)).resolves.toBeDefined();
  });

  test("records since when every attempt has failed, until one succeeds", async () => {
    const { id } = await register("failing");
    const read = () => endpoints().get("failing", id);

    const failing = { failingSince: NOW.toISOString(), failuresOn20260601: 1 };
    await expect(health().failed(await read())).resolves.toMatchObject(failing);
    await expect(health(LATER).failed(await read())).resolves.toMatchObject({
      ...failing,
      failuresOn20260601: 2,
    });
    await health().succeeded(await read(), 12);
    expect(JSON.stringify(await read())).not.toMatch(/failingSince|failuresOn/);
    await expect(health(LATER).failed(await read())).resolves.toMatchObject({
      failingSince: LATER.toISOString(),
      failuresOn20260601: 1,
    });
  });

  test("records that an endpoint is on probation, then slow, until twenty fast responses and ten minutes later", async () => {
    const { id } = await registerProven("slow");
    const read = () => endpoints().get("slow", id);
    const before = await read();
    const laterOn = () => health(new Date(NOW.getTime() + 10 * 60_000));

    await health().cut(before, "delivery");
    await expect(read()).resolves.toMatchObject({ probationSince: NOW.toISOString() });
    await health().cut(await read(), "side");
    await expect(read()).resolves.toMatchObject({ slowSince: NOW.toISOString() });
    expect(await read()).not.toHaveProperty("probationSince");
    for (let responses = 0; responses < 19; responses++) await laterOn().succeeded(await read(), 12);
    await expect(read()).resolves.toMatchObject({ slowSince: NOW.toISOString(), fastResponses: 19 });
    await health().cut(await read(), "side");
    await expect(read()).resolves.not.toHaveProperty("fastResponses");
    for (let responses = 0; responses < 20; responses++) await laterOn().succeeded(await read(), 12);

    await expect(read()).resolves.toEqual({
      ...before,
      lastSuccessAt: expect.any(String),
      version: expect.any(Number),
    });
  });

  test("records the end of a series of failures together with a slow response", async () => {
    const { id } = await register("recovering");
    const failing = await health().failed(await endpoints().get("recovering", id));
    if (!failing) throw new Error("The endpoint is there.");

    await health().succeeded(failing, 1_500);

    const recovered = await endpoints().get("recovering", id);
    expect(recovered).toMatchObject({ suspectedSince: NOW.toISOString() });
    expect(JSON.stringify(recovered)).not.toMatch(/failingSince|failuresOn/);
  });

  test.each([{ active: true }, { url: "https://elsewhere.example.com/" }])(
    "remembers that an endpoint is slow if its address or activation changes: %o",
    async (change) => {
      const { id } = await register("changed");
      await health().cut(await endpoints().get("changed", id), "side");
      await health().succeeded(await endpoints().get("changed", id), 12);

      await endpoints().update("changed", id, change);

      expect(await endpoints().get("changed", id)).toMatchObject({
        slowSince: NOW.toISOString(),
        fastResponses: 1,
      });
    },
  );

  test("keeps an endpoint fast if a response of before its recovery is recorded late", async () => {
    const { id } = await register("late");
    const read = () => endpoints().get("late", id);
    const later = health(new Date(NOW.getTime() + 10 * 60_000));
    await health().cut(await read(), "side");
    for (let responses = 0; responses < 18; responses++) await later.succeeded(await read(), 12);
    const late = await read();
    for (let responses = 0; responses < 2; responses++) await later.succeeded(await read(), 12);

    await later.succeeded(late, 12);

    expect(JSON.stringify(await read())).not.toMatch(/suspectedSince|slowSince|fastResponses/);
  });

  test("counts fast responses anew after a failure", async () => {
    const { id } = await register("interrupted");
    const read = () => endpoints().get("interrupted", id);
    await health().cut(await read(), "side");
    await health().succeeded(await read(), 12);

    await health().failed(await read());

    expect(await read()).toMatchObject({ slowSince: NOW.toISOString() });
    expect(await read()).not.toHaveProperty("fastResponses");
  });

  test("suspects an endpoint until its first fast response, or until an attempt is cut", async () => {
    const { id } = await registerProven("suspected");
    const read = () => endpoints().get("suspected", id);
    const before = await read();

    await health().suspected(before);
    await health(LATER).suspected(before);
    await expect(read()).resolves.toEqual({ ...before, suspectedSince: NOW.toISOString(), version: 4 });
    await health().succeeded(await read(), 12);
    const well = { ...before, lastSuccessAt: NOW.toISOString(), version: expect.any(Number) };
    await expect(read()).resolves.toEqual(well);
    await health().suspected(before);
    await health(LATER).cut(before, "delivery");
    await health().suspected(before);

    await expect(read()).resolves.toEqual({ ...well, probationSince: LATER.toISOString() });
  });

  test("records only the first of many cut attempts of one lane", async () => {
    const { id } = await registerProven("marked");
    const read = () => endpoints().get("marked", id);

    const fast = await read();
    for (const at of [NOW, LATER]) await health(at).cut(fast, "delivery");
    const onProbation = await read();
    expect(onProbation).toMatchObject({ probationSince: NOW.toISOString() });
    for (const at of [NOW, LATER]) await health(at).cut(onProbation, "side");

    expect(await read()).toMatchObject({ slowSince: NOW.toISOString() });
    await health(LATER).cut(fast, "delivery");
    expect(await read()).toMatchObject({ slowSince: NOW.toISOString() });
  });

  test("makes an endpoint slow that was put on probation while its attempt from the side queue was under way", async () => {
    const { id } = await registerProven("overtaken");
    const read = () => endpoints().get("overtaken", id);
    const fast = await read();
    await health().suspected(fast);
    const suspected = await read();
    await health().cut(fast, "delivery");

    await health(LATER).cut(suspected, "side");

    expect(await read()).toMatchObject({ slowSince: LATER.toISOString() });
    expect(await read()).not.toHaveProperty("probationSince");
  });

  test.each(["delivery", "side"] as const)(
    "records that an attempt from the %s queue was cut, although the address has changed meanwhile",
    async (lane) => {
      const { id } = await registerProven(`moved-${lane}`);
      const read = () => endpoints().get(`moved-${lane}`, id);
      const before = await read();
      await endpoints().update(`moved-${lane}`, id, { url: "https://elsewhere.example.com/" });

      await health(LATER).cut(before, lane);

      const mark = lane === "delivery" ? "probationSince" : "slowSince";
      expect(await read()).toMatchObject({ unprovenSince: expect.any(String), [mark]: LATER.toISOString() });
      await health(LATER).succeeded(await read(), 12);
      expect(await read()).toMatchObject({ [mark]: LATER.toISOString(), fastResponses: 1 });
      expect(await read()).not.toHaveProperty("unprovenSince");
    },
  );

  test("does not bring back a deleted endpoint that was slow", async () => {
    const { id } = await register("slow-and-deleted");
    const seen = await endpoints().get("slow-and-deleted", id);
    await endpoints().delete("slow-and-deleted", id);

    await health().cut(seen, "side");

    await expect(endpoints().find("slow-and-deleted", id)).resolves.toBeUndefined();
  });

  test("counts failures per day and deletes counters of past days", async () => {
    const { id } = await register("counted");
    const failOn = async (day: number) =>
      health(new Date(Date.UTC(2026, 5, day))).failed(await endpoints().get("counted", id));
    for (const day of [1, 1, 3, 6]) await failOn(day);

    await expect(failOn(7)).resolves.toMatchObject({
      failingSince: "2026-06-01T00:00:00.000Z",
      failuresOn20260603: 1,
      failuresOn20260606: 1,
      failuresOn20260607: 1,
    });
    expect(await endpoints().get("counted", id)).not.toHaveProperty("failuresOn20260601");
  });

  test("counts concurrent failures, and stops when more on the same day have no effect", async () => {
    const { id } = await register("busy");
    const seen = await endpoints().get("busy", id);

    await Promise.all(Array.from({ length: 12 }, () => health().failed(seen)));
    await health().failed(await endpoints().get("busy", id));

    await expect(endpoints().get("busy", id)).resolves.toMatchObject({ failuresOn20260601: 12 });
  });

  test("records the first of several concurrent failures", async () => {
    const { id } = await register("racing-failures");
    const seen = await endpoints().get("racing-failures", id);

    await health().failed(seen);

    await expect(health(LATER).failed(seen)).resolves.toMatchObject({ failingSince: NOW.toISOString() });
  });

  test("does not restore a deleted endpoint by recording its health", async () => {
    const { id } = await register("deleted");
    const seen = { ...(await endpoints().get("deleted", id)), failingSince: NOW.toISOString() };
    const { failingSince: _, ...fresh } = seen;
    await endpoints().delete("deleted", id);

    await health().succeeded(seen, 12);
    await health().deactivate(seen, "gone", NOW.toISOString());
    await expect(health().failed(fresh)).resolves.toBeUndefined();

    await expect(endpoints().list("deleted")).resolves.toEqual([]);
  });

  test.each([{ active: true }, { url: "https://other.example.com/" }])(
    "starts counting failures anew after %j",
    async (update) => {
      const { id } = await register("fixed");
      await health().failed(await endpoints().get("fixed", id));

      await endpoints().update("fixed", id, { description: "still failing" });
      await expect(endpoints().get("fixed", id)).resolves.toHaveProperty("failingSince");
      await endpoints().update("fixed", id, update);

      await expect(health(LATER).failed(await endpoints().get("fixed", id))).resolves.toMatchObject({
        failingSince: LATER.toISOString(),
        failuresOn20260601: 1,
      });
    },
  );

  test("keeps the previous secret for a day, and does a repeated rotation once", async () => {
    const { id } = await register("rotated");
    const read = () => endpoints().get("rotated", id);

    await secrets().rotate("rotated", id, "1.second");
    expect(await read()).toMatchObject({
      sealedSecret: "1.second",
      previousSealedSecret: "1.sealed",
      previousSecretExpiresAt: new Date(NOW.getTime() + 24 * 3_600_000).toISOString(),
    });

    await expect(secrets().rotate("rotated", id, "1.second")).resolves.toMatchObject({ id });
    expect(await read()).toMatchObject({ sealedSecret: "1.second", previousSealedSecret: "1.sealed" });

    await secrets().rotate("rotated", id, "1.third");
    expect(await read()).toMatchObject({ sealedSecret: "1.third", previousSealedSecret: "1.second" });
  });

  test("does not deactivate an endpoint for an attempt made before it was changed", async () => {
    const { id } = await register("changed");
    const read = () => endpoints().get("changed", id);
    const asTried = await read();
    await endpoints().update("changed", id, { url: "https://other.example.com/", active: true });

    await expect(health().deactivate(asTried, "gone", NOW.toISOString())).resolves.toBe(false);
    expect((await read()).active).toBe(true);

    await expect(health().deactivate(await read(), "gone", NOW.toISOString())).resolves.toBe(true);
    expect((await read()).active).toBe(false);
  });

  test("deactivates an endpoint once for many attempts that get a 410", async () => {
    const { id } = await register("gone");
    const asTried = await endpoints().get("gone", id);

    const stopped = await Promise.all(
      Array.from({ length: 5 }, () => health().deactivate(asTried, "gone", NOW.toISOString())),
    );

    expect(stopped.filter(Boolean)).toHaveLength(1);
  });

  test("retries a change during a transaction, and finally fails with a temporary error", async () => {
    const client = DynamoDBDocumentClient.from(new DynamoDBClient({ region: "eu-west-1" }));
    const { id } = anEndpoint();
    const conflict = new TransactionConflictException({ message: "conflict", $metadata: {} });
    const repository = new WebhookEndpointRepository(client, "t", runtime.now);
    const table = mockClient(client);

    table.on(TransactWriteCommand).rejectsOnce(conflict).resolves({});
    table.on(GetCommand).resolves({ Item: anEndpoint({ id }) });
    await expect(repository.update("acme", id, { active: true })).resolves.toMatchObject({ id });
    const tokens = table
      .commandCalls(TransactWriteCommand)
      .map(({ args }) => args[0].input.ClientRequestToken);
    // With another token, an attempt of the first request that arrives late would be performed as well.
    expect(tokens).toHaveLength(2);
    expect(new Set(tokens).size).toBe(1);

    table.reset();
    table.on(TransactWriteCommand).rejects(conflict);
    vi.useFakeTimers({ toFake: ["setTimeout"] });
    onTestFinished(() => void vi.useRealTimers());
    const refused = expect(repository.update("acme", id, { active: true })).rejects.toMatchObject({
      code: "service_unavailable",
      cause: conflict,
    });
    await vi.runAllTimersAsync();
    await refused;
  });

  test("does not deactivate an endpoint with a success since its failures were read", async () => {
    const { id } = await register("recovered");
    const failing = await health().failed(await endpoints().get("recovered", id));
    if (!failing) throw new Error("The endpoint is there.");
    await health().succeeded(failing, 12);

    await expect(health().deactivate(failing, "failing", failing.failingSince ?? "")).resolves.toBe(false);
    await expect(health().deactivate(failing, "gone", NOW.toISOString())).resolves.toBe(true);
  });

  // Decisions: "an endpoint that keeps failing" has taken nothing. One success in between is enough.
  test("counts a failure only since the last success, even if the attempts overlapped", async () => {
    const { id } = await register("raced");
    await health().failed(await endpoints().get("raced", id));
    const seenByBoth = await endpoints().get("raced", id);

    await health().succeeded(seenByBoth, 12);

    await expect(health(LATER).failed(seenByBoth)).resolves.toMatchObject({
      failingSince: LATER.toISOString(),
    });
  });
});
