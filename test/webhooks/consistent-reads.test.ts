import { beforeEach, expect, test } from "vitest";
import { newEndpointId } from "#contract/identifiers";
import { runtime } from "#runtime/runtime";
import { DeliveryLog } from "#webhooks/delivery/delivery-log";
import { WebhookEndpointRepository } from "#webhooks/endpoints/webhook-endpoint-repository";
import { EventFeed } from "#webhooks/feed/event-feed";
import { documentClient } from "../../tools/simulation/dynamodb/document-client.ts";
import { serviceTable } from "../../tools/simulation/dynamodb/service-table.ts";
import { SimulatedTable } from "../../tools/simulation/dynamodb/simulated-table.ts";
import { runtimeAt } from "../builders/runtime.ts";
import { SimulatedStore } from "../simulation/simulated-store.ts";
import { aDelivery, anEvent } from "./builders.ts";

const REGISTRATION = { url: "https://a.example.com", eventTypes: ["candidate.received" as const] };

/** On it, an eventually consistent read returns the oldest state that it may. */
let store: SimulatedStore;
beforeEach(() => {
  store = new SimulatedStore();
  store.staleness = 0.999;
});

test("a webhook endpoint is found, listed and gone with strong consistency", async () => {
  const endpoints = new WebhookEndpointRepository(store.client, store.tableName, store.now);
  const id = newEndpointId(runtime);

  await endpoints.register("acme", id, REGISTRATION, "1.sealed");
  const registered = [await endpoints.find("acme", id), ...(await endpoints.list("acme"))];
  const versions = await endpoints.versions("acme");
  await endpoints.delete("acme", id);

  expect(registered).toMatchObject([{ id }, { id }]);
  expect(versions).toEqual({ endpoints: 1, byEndpoint: { [id]: 1 } });
  expect(await endpoints.find("acme", id)).toBeUndefined();
  expect(await endpoints.list("acme")).toEqual([]);
});

test("a delivery's record is found with strong consistency", async () => {
  const log = new DeliveryLog(store.client, store.tableName, store.now);
  const delivery = aDelivery();

  await log.record(delivery, { status: "dropped" });

  expect(await log.find(delivery.endpointId, delivery.eventId)).toMatchObject({
    record: { status: "dropped" },
  });
});

test("an event is in its organisation's feed with strong consistency", async () => {
  // Older than the feed's own delay: DynamoDB names no bound.
  const table = new SimulatedTable(serviceTable, {
    now: () => store.milliseconds,
    random: () => store.staleness,
    stalenessMs: 5_000,
  });
  const client = documentClient((target, input) => table.handle(target, input), {});
  const dependencies = { ...runtimeAt(store.now), wait: () => new Promise<void>(() => {}) };
  const feed = new EventFeed(client, store.tableName, 30, dependencies);
  const before = store.now().toISOString();

  await feed.append("acme", [anEvent()]);
  store.pass(2_000);

  const { shards } = await feed.read("acme", before);
  expect(shards.flatMap(({ items }) => items)).toHaveLength(1);
});
