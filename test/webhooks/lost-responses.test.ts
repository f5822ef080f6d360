import { beforeEach, describe, expect, test } from "vitest";
import { newEndpointId, newRecoveryId } from "#contract/identifiers";
import { DeliveryLog } from "#webhooks/delivery/delivery-log";
import { EndpointHealthRepository } from "#webhooks/endpoints/endpoint-health-repository";
import { WebhookEndpointRepository } from "#webhooks/endpoints/webhook-endpoint-repository";
import { FoundEvents } from "#webhooks/recoveries/found-events";
import { RecoveryRepository } from "#webhooks/recoveries/recovery-repository";
import type { StoredRecovery } from "#webhooks/recoveries/stored-recovery";
import { runtimeAt } from "../builders/runtime.ts";
import { SimulatedStore } from "../simulation/simulated-store.ts";
import { aDelivery } from "./builders.ts";

const ORG = "acme";
const URL = "https://receiver.example.com/";

let store: SimulatedStore;
beforeEach(() => {
  store = new SimulatedStore();
});

describe("a write about an endpoint with a lost response is known as the caller's own:", () => {
  const endpoints = () => new WebhookEndpointRepository(store.client, store.tableName, store.now);
  const health = () => {
    const sources = { ...runtimeAt(store.now), schedule: "standard" } as const;
    return new EndpointHealthRepository(store.losingAResponse(), store.tableName, sources);
  };
  const registered = async () => {
    const id = newEndpointId(runtimeAt(store.now));
    await endpoints().register(ORG, id, { url: URL, eventTypes: ["candidate.received"] }, "1.sealed");
    return endpoints().get(ORG, id);
  };

  test("that it is inactive, of which other processes are notified", async () => {
    const endpoint = await registered();

    await expect(health().deactivate(endpoint, "gone", store.now().toISOString())).resolves.toBe(true);

    const current = await endpoints().get(ORG, endpoint.id);
    expect(current.active).toBe(false);
    expect(current.version).not.toBe(endpoint.version);
  });

  test("that it is slow", async () => {
    const endpoint = await registered();

    await health().cut(endpoint, "side");

    const current = await endpoints().get(ORG, endpoint.id);
    expect(current.slowSince).toBe(store.now().toISOString());
    expect(current.version).not.toBe(endpoint.version);
  });

  test("but not one that another write has refused", async () => {
    const endpoint = await registered();
    await endpoints().update(ORG, endpoint.id, { active: false });

    await expect(health().deactivate(endpoint, "gone", store.now().toISOString())).resolves.toBe(false);
  });
});

test("an attempt is recorded once, although the response was lost", async () => {
  const log = new DeliveryLog(store.losingAResponse(), store.tableName, store.now);
  const delivery = aDelivery();
  const lastAttempt = { attempt: 1, at: store.now().toISOString(), durationMs: 12, statusCode: 204 };

  await log.record(delivery, { status: "delivered", lastAttempt });

  const found = await log.find(delivery.endpointId, delivery.eventId);
  expect(found?.record).toMatchObject({ status: "delivered", attempts: [lastAttempt] });
});

describe("a recovery's step with a lost response", () => {
  const now = () => store.now().toISOString();
  const aRecovery = (): StoredRecovery => ({
    id: newRecoveryId(runtimeAt(store.now)),
    status: "running",
    found: 0,
    sent: 0,
    since: now(),
    until: now(),
    eventTypes: ["candidate.received"],
    startedAt: now(),
    orgId: ORG,
    endpointId: newEndpointId(runtimeAt(store.now)),
    position: now(),
    eventsRead: 0,
    pacedUntil: now(),
    progressAt: now(),
    receives: 0,
  });
  const recoveries = (client = store.client) => new RecoveryRepository(client, store.tableName, store.now);

  test("is recorded once, and the run goes on", async () => {
    const recovery = aRecovery();
    await recoveries().start(recovery);

    const page = { found: 1, eventsRead: 1, latestFound: new FoundEvents().with(["evt_1"]) };
    const step = recoveries(store.losingAResponse()).advance(recovery, page);

    await expect(step).resolves.toMatchObject({ found: 1, eventsRead: 1 });
  });

  test("is another run's if that was ahead", async () => {
    const recovery = aRecovery();
    await recoveries().start(recovery);
    await recoveries().advance(recovery, { found: 2, eventsRead: 2 });

    const step = recoveries(store.losingAResponse()).advance(recovery, { found: 1, eventsRead: 1 });

    await expect(step).resolves.toBeUndefined();
  });
});
