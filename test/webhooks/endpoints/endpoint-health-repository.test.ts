import { afterAll, beforeAll, describe, expect, inject, test } from "vitest";
import { EndpointHealthRepository } from "#webhooks/endpoints/endpoint-health-repository";
import { WebhookEndpointRepository } from "#webhooks/endpoints/webhook-endpoint-repository";
import { runtimeAt } from "../../builders/runtime.ts";
import { aStore, type Store } from "../../candidates/candidate-store.ts";
import { anEndpoint, NOW } from "../builders.ts";

const LATER = new Date(NOW.getTime() + 3_600_000);

let store: Store;
beforeAll(async () => {
  store = await aStore(inject("dynamoDbEndpoint"));
});
afterAll(() => store?.close());

const health = (now = NOW) =>
  new EndpointHealthRepository(store.client, store.tableName, {
    ...runtimeAt(() => now),
    schedule: "standard",
  });
const endpoints = () => new WebhookEndpointRepository(store.client, store.tableName, () => NOW);

describe("the endpoint health repository", () => {
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

  test("records no failure of an address that the endpoint no longer has", async () => {
    const { id } = await register("moved");
    const before = await endpoints().get("moved", id);
    const moved = new WebhookEndpointRepository(store.client, store.tableName, () => LATER);
    await moved.update("moved", id, { url: "https://other.example.com/" });

    await expect(health().failed(before)).resolves.toBeUndefined();

    expect(await endpoints().get("moved", id)).not.toHaveProperty("failingSince");
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

  test("records that an endpoint keeps failing late, of which all processes know when it is slow", async () => {
    const { id } = await registerProven("late-failures");
    const read = () => endpoints().get("late-failures", id);
    const { version = 0 } = await read();

    await health().failedLate(await read());
    await expect(read()).resolves.toMatchObject({ suspectedSince: NOW.toISOString(), version: version + 1 });
    await health().failedLate(await read());
    expect(await read()).not.toHaveProperty("slowSince");
    await health(LATER).failedLate(await read());

    await expect(read()).resolves.toMatchObject({ slowSince: LATER.toISOString(), version: version + 2 });
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

  test.each(["failed", "askedToWait"] as const)("counts fast responses anew after it %s", async (result) => {
    const orgId = `interrupted-${result.toLowerCase()}`;
    const { id } = await register(orgId);
    const read = () => endpoints().get(orgId, id);
    await health().cut(await read(), "side");
    await health().succeeded(await read(), 12);

    await health()[result](await read());

    expect(await read()).toMatchObject({ slowSince: NOW.toISOString(), fastResponses: 0 });
  });

  test("begins no count of fast responses, and no failures, when a receiver asks to wait", async () => {
    const { id } = await register("waiting");
    const read = () => endpoints().get("waiting", id);
    await health().cut(await read(), "side");
    const slow = await read();
    await health().succeeded(slow, 12);
    const counted = await read();
    // It has had a late response since.
    await health().succeeded(counted, 1_500);

    await health().askedToWait(slow);
    await health().askedToWait(counted);

    expect(await read()).toMatchObject({ slowSince: NOW.toISOString() });
    expect(JSON.stringify(await read())).not.toMatch(/fastResponses|failingSince/);
  });

  test("does not make an endpoint on probation slow for a late response after a fast one and a failure", async () => {
    const { id } = await registerProven("recovered");
    const read = () => endpoints().get("recovered", id);
    await health().cut(await read(), "delivery");
    await health().succeeded(await read(), 12);
    await health().failed(await read());

    await health(LATER).succeeded(await read(), 1_500);

    expect(await read()).toMatchObject({
      probationSince: NOW.toISOString(),
      suspectedSince: LATER.toISOString(),
    });
    expect(await read()).not.toHaveProperty("slowSince");
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

  test("does not end the failures of a new address by a success at the former one", async () => {
    const { id } = await register("moved");
    const read = () => endpoints().get("moved", id);
    await health().failed(await read());
    const atFormer = await read();
    await endpoints().update("moved", id, { url: "https://other.example.com/" });
    await health().failed(await read());

    await health().succeeded(atFormer, 12);

    expect(await read()).toMatchObject({ failingSince: NOW.toISOString(), failuresOn20260601: 1 });
    expect(await read()).not.toHaveProperty("lastSuccessAt");
  });

  test("deactivates an endpoint once for many attempts that get a 410", async () => {
    const { id } = await register("gone");
    const asTried = await endpoints().get("gone", id);

    const stopped = await Promise.all(
      Array.from({ length: 5 }, () => health().deactivate(asTried, "gone", NOW.toISOString())),
    );

    expect(stopped.filter(Boolean)).toHaveLength(1);
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
