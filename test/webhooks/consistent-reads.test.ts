import { beforeEach, expect, test } from "vitest";
import { newEndpointId } from "#contract/identifiers";
import { runtime } from "#runtime/runtime";
import { DeliveryLog } from "#webhooks/delivery/delivery-log";
import { WebhookEndpointRepository } from "#webhooks/endpoints/webhook-endpoint-repository";
import { SimulatedStore } from "../simulation/simulated-store.ts";
import { aDelivery } from "./builders.ts";

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
