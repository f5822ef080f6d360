import { afterAll, beforeAll, beforeEach, describe, expect, inject, test } from "vitest";
import { type EndpointEvent, WebhookEvent } from "#contract/events";
import type { WebhookEndpointUpdate } from "#contract/webhook-endpoint";
import { readFiredEvent, withEventAlone } from "#webhooks/delivery/fired-event";
import { EndpointHealthRepository } from "#webhooks/endpoints/endpoint-health-repository";
import { SealedSecretRepository } from "#webhooks/endpoints/sealed-secret-repository";
import { toWebhookEndpoint } from "#webhooks/endpoints/stored-endpoint";
import { WebhookEndpointRepository } from "#webhooks/endpoints/webhook-endpoint-repository";
import { runtimeAt } from "../../builders/runtime.ts";
import { aStore, type Store } from "../../candidates/candidate-store.ts";
import { anEndpoint, NOW } from "../builders.ts";

const HOUR = 60 * 60_000;
const hoursLater = (hours: number) => new Date(NOW.getTime() + hours * HOUR);

let store: Store;
beforeAll(async () => {
  store = await aStore(inject("dynamoDbEndpoint"));
});
afterAll(() => store?.close());
beforeEach(async () => void (await store.firedSinceLastAsked()));

const healthAt = (now: Date) =>
  new EndpointHealthRepository(store.client, store.tableName, {
    ...runtimeAt(() => now),
    schedule: "standard",
  });
const endpoints = () => new WebhookEndpointRepository(store.client, store.tableName, () => NOW);
const secrets = () => new SealedSecretRepository(store.client, store.tableName, () => NOW);

/** An endpoint of an organisation of its own. */
async function anActiveEndpoint() {
  const { id } = anEndpoint();
  const orgId = `org-${id}`;
  const url = "https://receiver.example.com/hooks?token=t0ken";
  await endpoints().register(orgId, id, { url, eventTypes: ["candidate.received"] }, "1.sealed");
  const read = () => endpoints().get(orgId, id);
  return {
    id,
    read,
    shown: async () => toWebhookEndpoint(await read()),
    fail: async (now: Date) => {
      const failing = await healthAt(now).failed(await read());
      if (!failing) throw new Error("The endpoint is there.");
      return failing;
    },
    succeed: async (now: Date) => healthAt(now).succeeded(await read(), 12),
    update: (update: WebhookEndpointUpdate) => endpoints().update(orgId, id, update),
    delete: () => endpoints().delete(orgId, id),
  };
}

/** The events of the writes since the test began, or since the last call, as publish-events reads them. */
async function fired(): Promise<EndpointEvent[]> {
  const records = await store.firedSinceLastAsked();
  return records.map((record) => readFiredEvent(record).event as EndpointEvent);
}

describe("webhook_endpoint.failing", () => {
  test("fires with the first failure a day after the series began, once", async () => {
    const endpoint = await anActiveEndpoint();
    await endpoint.fail(NOW);
    await endpoint.fail(new Date(hoursLater(24).getTime() - 1));
    expect(await fired()).toEqual([]);

    await endpoint.fail(hoursLater(24));
    await endpoint.fail(hoursLater(25));
    await endpoint.fail(hoursLater(100));

    const events = await fired();
    expect(events).toEqual([
      {
        id: expect.stringMatching(/^evt_/),
        type: "webhook_endpoint.failing",
        apiVersion: "1.2.0",
        occurredAt: hoursLater(24).toISOString(),
        data: { webhookEndpointId: endpoint.id, failingSince: NOW.toISOString() },
      },
    ]);
    expect(WebhookEvent.parse(events[0])).toEqual(events[0]);
  });

  test("fires once although attempts fail at the same time", async () => {
    const endpoint = await anActiveEndpoint();
    await endpoint.fail(NOW);
    const seen = await endpoint.read();

    await Promise.all(Array.from({ length: 12 }, () => healthAt(hoursLater(30)).failed(seen)));

    expect(await fired()).toHaveLength(1);
  });

  test("fires although the failures of the day are no longer counted", async () => {
    const endpoint = await anActiveEndpoint();
    await endpoint.fail(NOW);
    for (let failures = 0; failures < 10; failures++) await endpoint.fail(hoursLater(12));
    expect(await fired()).toEqual([]);

    await endpoint.fail(hoursLater(24));

    expect(await fired()).toHaveLength(1);
  });

  test.each([
    ["a success", (endpoint: Endpoint) => endpoint.succeed(hoursLater(26))],
    ["an activation", (endpoint: Endpoint) => endpoint.update({ active: true })],
    ["a new url", (endpoint: Endpoint) => endpoint.update({ url: "https://other.example.com/" })],
  ])("fires again a day into the next series, after %s", async (_what, end) => {
    const endpoint = await anActiveEndpoint();
    await endpoint.fail(NOW);
    await endpoint.fail(hoursLater(25));
    await end(endpoint);

    await endpoint.fail(hoursLater(30));
    await endpoint.fail(hoursLater(53));
    expect(await fired()).toHaveLength(1);
    await endpoint.fail(hoursLater(54));

    expect(await fired()).toMatchObject([{ data: { failingSince: hoursLater(30).toISOString() } }]);
  });

  test("does not fire for a series that a success has ended since the attempt began", async () => {
    const endpoint = await anActiveEndpoint();
    await endpoint.fail(NOW);
    for (let failures = 0; failures < 10; failures++) await endpoint.fail(hoursLater(13));
    const seen = await endpoint.read();
    await endpoint.succeed(hoursLater(14));

    await healthAt(hoursLater(24)).failed(seen);

    expect(await fired()).toEqual([]);
  });

  test("does not fire for an endpoint that its organisation has set inactive or deleted", async () => {
    const inactive = await anActiveEndpoint();
    const deleted = await anActiveEndpoint();
    await inactive.fail(NOW);
    const seen = await deleted.fail(NOW);
    await inactive.update({ active: false });
    await deleted.delete();

    await inactive.fail(hoursLater(30));
    await healthAt(hoursLater(30)).failed(seen);

    expect(await fired()).toEqual([]);
  });
});

describe("webhook_endpoint.disabled", () => {
  test("fires when an endpoint is set inactive because it kept failing", async () => {
    const endpoint = await anActiveEndpoint();
    const { failingSince } = await endpoint.fail(NOW);

    await healthAt(hoursLater(120)).deactivate(await endpoint.read(), "failing", failingSince ?? "");

    const disabledAt = hoursLater(120).toISOString();
    expect(await fired()).toMatchObject([
      {
        type: "webhook_endpoint.disabled",
        occurredAt: disabledAt,
        data: { webhookEndpointId: endpoint.id, failingSince, disabledAt, disabledReason: "failing" },
      },
    ]);
    expect(await endpoint.shown()).toMatchObject({
      active: false,
      failingSince,
      disabledAt,
      disabledReason: "failing",
    });
  });

  test("fires once for many attempts that get a 410, without a time since when it fails", async () => {
    const endpoint = await anActiveEndpoint();
    const seen = await endpoint.read();

    await Promise.all(
      Array.from({ length: 5 }, () => healthAt(NOW).deactivate(seen, "gone", NOW.toISOString())),
    );

    expect((await fired()).map(({ data }) => data)).toEqual([
      { webhookEndpointId: endpoint.id, disabledAt: NOW.toISOString(), disabledReason: "gone" },
    ]);
  });
});

describe("the event of an endpoint", () => {
  test.each<[string, (endpoint: Endpoint) => Promise<unknown>]>([
    ["a failure", (endpoint) => endpoint.fail(hoursLater(1))],
    ["a success", (endpoint) => endpoint.succeed(hoursLater(1))],
    ["a suspicion", async (endpoint) => healthAt(NOW).suspected(await endpoint.read())],
    ["a cut attempt", async (endpoint) => healthAt(NOW).cut(await endpoint.read(), "delivery")],
    ["a change", (endpoint) => endpoint.update({ description: "Ours" })],
    ["an activation", (endpoint) => endpoint.update({ active: true })],
    ["a rotation", async (endpoint) => secrets().rotate((await endpoint.read()).orgId, endpoint.id, "1.new")],
    ["a reseal", async (endpoint) => secrets().reseal(await endpoint.read(), "2.sealed")],
    ["a deletion", (endpoint) => endpoint.delete()],
  ])("does not fire again with %s", async (_what, write) => {
    const endpoint = await anActiveEndpoint();
    await healthAt(NOW).deactivate(await endpoint.read(), "gone", NOW.toISOString());
    expect(await fired()).toHaveLength(1);

    await write(endpoint);

    expect(await fired()).toEqual([]);
  });

  test("takes neither the URL nor a secret out of the table", async () => {
    const endpoint = await anActiveEndpoint();
    await healthAt(NOW).deactivate(await endpoint.read(), "gone", NOW.toISOString());

    const [record] = await store.firedSinceLastAsked();
    if (!record) throw new Error("The event fired.");
    expect(JSON.stringify(record)).toMatch(/t0ken.*1\.sealed|1\.sealed.*t0ken/);

    expect(JSON.stringify(withEventAlone(record))).not.toMatch(/t0ken|sealed/);
    expect(JSON.stringify(readFiredEvent(record))).not.toMatch(/t0ken|sealed/);
    expect(readFiredEvent(withEventAlone(record))).toEqual(readFiredEvent(record));
  });
});

describe("the health that an endpoint shows", () => {
  test("is nothing while there is nothing to say", async () => {
    const endpoint = await anActiveEndpoint();

    const members = ["id", "url", "eventTypes", "active", "createdAt", "description"];
    expect(Object.keys(await endpoint.shown()).sort()).toEqual(members.sort());
    await endpoint.update({ active: false });
    await endpoint.update({ active: true });
    expect(Object.keys(await endpoint.shown()).sort()).toEqual(members.sort());
  });

  test("is when and why it was first set inactive", async () => {
    const endpoint = await anActiveEndpoint();
    await endpoint.update({ active: false });
    const requested = { active: false, disabledAt: expect.any(String), disabledReason: "by_request" };
    expect(await endpoint.shown()).toMatchObject(requested);

    await healthAt(hoursLater(1)).deactivate(await endpoint.read(), "gone", hoursLater(1).toISOString());

    expect(await endpoint.shown()).toMatchObject(requested);
  });

  /** An endpoint that has succeeded, failed, and been set inactive for that. */
  async function aDisabledEndpoint() {
    const endpoint = await anActiveEndpoint();
    await endpoint.succeed(NOW);
    const { failingSince } = await endpoint.fail(hoursLater(1));
    await healthAt(hoursLater(121)).deactivate(await endpoint.read(), "failing", failingSince ?? "");
    return { ...endpoint, failingSince };
  }

  test("is reset when the endpoint is made active, but for the last success", async () => {
    const endpoint = await aDisabledEndpoint();

    await endpoint.update({ active: true });

    const shown = await endpoint.shown();
    expect(shown).toMatchObject({ lastSuccessAt: NOW.toISOString() });
    expect(JSON.stringify(shown)).not.toMatch(/disabled|failing/);
  });

  test("keeps why the endpoint is inactive when it is moved, but not the failures of its old address", async () => {
    const endpoint = await aDisabledEndpoint();

    await endpoint.update({ url: "https://other.example.com/" });

    const shown = await endpoint.shown();
    expect(shown).toMatchObject({ active: false, disabledReason: "failing" });
    expect(shown).not.toHaveProperty("failingSince");
  });

  test("is kept by a change that leaves address and activation as they are", async () => {
    const endpoint = await aDisabledEndpoint();
    const { failingSince } = endpoint;

    await endpoint.update({ description: "Being fixed" });
    await endpoint.update({ url: (await endpoint.shown()).url });

    expect(await endpoint.shown()).toMatchObject({ disabledReason: "failing", failingSince });
  });

  test("no longer says that it fails after a success, and when that was", async () => {
    const endpoint = await anActiveEndpoint();
    await endpoint.fail(NOW);
    expect(await endpoint.shown()).toMatchObject({ failingSince: NOW.toISOString() });

    await endpoint.succeed(hoursLater(1));

    const shown = await endpoint.shown();
    expect(shown).toMatchObject({ lastSuccessAt: hoursLater(1).toISOString() });
    expect(shown).not.toHaveProperty("failingSince");
  });
});

type Endpoint = Awaited<ReturnType<typeof anActiveEndpoint>>;
