import { TransactionCanceledException } from "@aws-sdk/client-dynamodb";
import { beforeEach, describe, expect, test } from "vitest";
import { newEndpointId } from "#contract/identifiers";
import { runtime } from "#runtime/runtime";
import { EndpointHealthRepository } from "#webhooks/endpoints/endpoint-health-repository";
import { laneOf } from "#webhooks/endpoints/lane";
import { SealedSecretRepository } from "#webhooks/endpoints/sealed-secret-repository";
import { toWebhookEndpoint } from "#webhooks/endpoints/stored-endpoint";
import { WebhookEndpointRepository } from "#webhooks/endpoints/webhook-endpoint-repository";
import { clientAround } from "../../builders/client-around.ts";
import { runtimeAt } from "../../builders/runtime.ts";
import { SimulatedStore } from "../../simulation/simulated-store.ts";

const REGISTRATION = { url: "https://a.example.com", eventTypes: ["candidate.received" as const] };
const NO_SUCH = {
  code: "not_found",
  message:
    "Your organisation has no webhook endpoint with this id. Check the id against the list of endpoints.",
};

let store: SimulatedStore;
let sent: number;
let endpoints: WebhookEndpointRepository;
let health: EndpointHealthRepository;
let secrets: SealedSecretRepository;
beforeEach(() => {
  store = new SimulatedStore();
  sent = 0;
  const counting = clientAround(store.client, (_asked, send) => {
    sent += 1;
    return send();
  });
  endpoints = new WebhookEndpointRepository(counting, store.tableName, store.now);
  health = new EndpointHealthRepository(counting, store.tableName, {
    ...runtimeAt(store.now),
    schedule: "standard",
  });
  secrets = new SealedSecretRepository(counting, store.tableName, store.now);
});

const items = () => [...store.table.items()].length;

describe.each<[string, (id: string) => Promise<unknown>]>([
  ["get", (id) => endpoints.get("acme", id)],
  ["update", (id) => endpoints.update("acme", id, { active: false })],
  ["rotate", (id) => secrets.rotate("acme", id, "2.sealed")],
  ["delete", (id) => endpoints.delete("acme", id)],
])("%s of an unknown webhook endpoint", (_what, call) => {
  test("is not found, and stores nothing", async () => {
    await expect(call(newEndpointId(runtime))).rejects.toMatchObject(NO_SUCH);

    expect(items()).toBe(0);
  });

  test("does not read the table if the id is malformed", async () => {
    await expect(call("whe_1")).rejects.toMatchObject(NO_SUCH);

    expect(sent).toBe(0);
  });
});

test("an empty update returns the endpoint unchanged and writes nothing", async () => {
  const id = newEndpointId(runtime);
  await endpoints.register("acme", id, REGISTRATION, "1.sealed");
  const before = await endpoints.get("acme", id);
  store.pass(1_000);

  expect(await endpoints.update("acme", id, {})).toEqual(before);
  expect(await endpoints.get("acme", id)).toEqual(before);
});

test.each([
  [{ active: false }, true],
  [{ description: "changed" }, false],
])("whether an endpoint begins to miss events with the update %o: %s", async (update, misses) => {
  const id = newEndpointId(runtime);
  await endpoints.register("acme", id, REGISTRATION, "1.sealed");

  const updated = await endpoints.update("acme", id, update);

  expect("missedSince" in updated).toBe(misses);
});

test("a success of a healthy endpoint writes nothing for an hour after one was recorded", async () => {
  const id = newEndpointId(runtime);
  await endpoints.register("acme", id, REGISTRATION, "1.sealed");
  await health.succeeded(await endpoints.get("acme", id), 12);
  const recordedAt = store.now().toISOString();
  const endpoint = await endpoints.get("acme", id);
  store.pass(60 * 60_000 - 1);
  sent = 0;

  for (let successes = 0; successes < 100; successes++) await health.succeeded(endpoint, 12);

  expect(sent).toBe(0);
  expect(await endpoints.get("acme", id)).toMatchObject({ lastSuccessAt: recordedAt });
});

test("a receiver that asks to wait causes no write without fast responses to interrupt", async () => {
  const id = newEndpointId(runtime);
  await endpoints.register("acme", id, REGISTRATION, "1.sealed");
  const endpoint = await endpoints.get("acme", id);
  sent = 0;

  await health.askedToWait(endpoint);
  await health.askedToWait({ ...endpoint, fastResponses: 0 });

  expect(sent).toBe(0);
});

test("a success is recorded at the latest 75 minutes after the one before", async () => {
  const id = newEndpointId(runtime);
  await endpoints.register("acme", id, REGISTRATION, "1.sealed");
  await health.succeeded(await endpoints.get("acme", id), 12);
  store.pass(75 * 60_000);

  await health.succeeded(await endpoints.get("acme", id), 12);

  expect(await endpoints.get("acme", id)).toMatchObject({ lastSuccessAt: store.now().toISOString() });
});

test("of a thousand deliveries a second, few record the same success", async () => {
  const id = newEndpointId(runtime);
  await endpoints.register("acme", id, REGISTRATION, "1.sealed");
  await health.succeeded(await endpoints.get("acme", id), 12);
  store.pass(60 * 60_000);

  let requests = 0;
  while (requests === 0) {
    // Attempts take 150 ms, so 150 are under way at once and have read the same.
    store.pass(150);
    const read = await endpoints.get("acme", id);
    sent = 0;
    for (let underWay = 0; underWay < 150; underWay++) await health.succeeded(read, 12);
    requests = sent;
  }

  expect(requests).toBeLessThan(10);
});

test("a success that was read before a later one was recorded changes nothing", async () => {
  const id = newEndpointId(runtime);
  await endpoints.register("acme", id, REGISTRATION, "1.sealed");
  const late = await endpoints.get("acme", id);
  store.pass(1_000);
  await health.succeeded(late, 12);
  const recorded = await endpoints.get("acme", id);
  store.pass(1_000);

  await health.succeeded(late, 12);

  expect(await endpoints.get("acme", id)).toEqual(recorded);
});

test("a success of a failing endpoint deletes its failure counters", async () => {
  const id = newEndpointId(runtime);
  await endpoints.register("acme", id, REGISTRATION, "1.sealed");
  await health.succeeded(await endpoints.get("acme", id), 12);
  const before = await endpoints.get("acme", id);
  const failing = await health.failed(before);
  if (!failing) throw new Error("The endpoint is there.");
  store.pass(1_000);

  await health.succeeded(failing, 12);

  expect(failing).not.toEqual(before);
  expect(await endpoints.get("acme", id)).toEqual({
    ...before,
    lastSuccessAt: store.now().toISOString(),
    version: 5,
  });
});

describe("deliveries to an endpoint wait in the side queue", () => {
  const laneNow = async (id: string) => laneOf(await endpoints.get("acme", id));
  const aNewEndpoint = async () => {
    const id = newEndpointId(runtime);
    await endpoints.register("acme", id, REGISTRATION, "1.sealed");
    return id;
  };
  const aProvenEndpoint = async () => {
    const id = await aNewEndpoint();
    await health.succeeded(await endpoints.get("acme", id), 12);
    store.pass(1_000);
    return id;
  };

  test("from its registration to its first fast response", async () => {
    const id = await aNewEndpoint();
    expect(await laneNow(id)).toBe("side");

    await health.succeeded(await endpoints.get("acme", id), 1_500);
    expect(await laneNow(id)).toBe("side");

    await health.succeeded(await endpoints.get("acme", id), 12);
    expect(await laneNow(id)).toBe("delivery");
  });

  test("until a fast response, even if it failed before", async () => {
    const id = await aNewEndpoint();
    const failing = await health.failed(await endpoints.get("acme", id));
    if (!failing) throw new Error("The endpoint is there.");

    await health.succeeded(failing, 12);

    expect(await laneNow(id)).toBe("delivery");
  });

  test("from a change of its address to the first fast response there", async () => {
    const id = await aProvenEndpoint();
    const url = "https://b.example.com";

    await endpoints.update("acme", id, { url });
    expect(await laneNow(id)).toBe("side");

    await health.succeeded(await endpoints.get("acme", id), 12);
    expect(await laneNow(id)).toBe("delivery");
  });

  test("after a change of its address, whatever attempts that began before respond", async () => {
    const proven = await aProvenEndpoint();
    const unproven = await aNewEndpoint();
    const before = [await endpoints.get("acme", proven), await endpoints.get("acme", unproven)];
    store.pass(1_000);

    for (const endpoint of before) {
      await endpoints.update("acme", endpoint.id, { url: "https://b.example.com" });
      await health.succeeded(endpoint, 12);
    }

    expect([await laneNow(proven), await laneNow(unproven)]).toEqual(["side", "side"]);
  });

  test("after a change to the address that it had until another change came first", async () => {
    const id = await aNewEndpoint();
    let isFirst = true;
    const slow = clientAround(store.client, async ({ name }, send) => {
      if (name === "TransactWrite" && isFirst) {
        isFirst = false;
        await endpoints.update("acme", id, { url: "https://b.example.com" });
        await health.succeeded(await endpoints.get("acme", id), 12);
        store.pass(1_000);
      }
      return send();
    });

    const updated = await new WebhookEndpointRepository(slow, store.tableName, store.now).update("acme", id, {
      url: REGISTRATION.url,
    });

    expect(updated).toMatchObject({ url: REGISTRATION.url, unprovenSince: store.now().toISOString() });
    expect(await laneNow(id)).toBe("side");
  });

  test.each([
    [{ url: REGISTRATION.url }],
    [{ description: "Ours" }],
    [{ eventTypes: ["candidate.erased" as const] }],
    [{ active: true }],
  ])("not after a change that keeps its address: %o", async (change) => {
    const id = await aProvenEndpoint();

    await endpoints.update("acme", id, change);

    expect(await laneNow(id)).toBe("delivery");
  });
});

test("a registration whose id is taken is not reported as too many endpoints", async () => {
  const id = newEndpointId(runtime);
  await endpoints.register("acme", id, REGISTRATION, "1.sealed");

  await expect(endpoints.register("acme", id, REGISTRATION, "1.sealed")).rejects.toMatchObject({
    name: "TransactionCanceledException",
  });
});

test.each(["register", "delete"] as const)("a DynamoDB error in %s is thrown unchanged", async (method) => {
  const broken = clientAround(store.client, async ({ name }, send) => {
    if (name === "TransactWrite") throw new Error("outage");
    return send();
  });
  const repository = new WebhookEndpointRepository(broken, store.tableName, store.now);

  await expect(
    method === "register"
      ? repository.register("acme", newEndpointId(runtime), REGISTRATION, "1.sealed")
      : repository.delete("acme", newEndpointId(runtime)),
  ).rejects.toThrow("outage");
});

test("a DynamoDB error while a failure is counted is thrown unchanged", async () => {
  const id = newEndpointId(runtime);
  await endpoints.register("acme", id, REGISTRATION, "1.sealed");
  const broken = clientAround(store.client, () => Promise.reject(new Error("outage")));
  const dependencies = { ...runtimeAt(store.now), schedule: "standard" as const };
  const brokenHealth = new EndpointHealthRepository(broken, store.tableName, dependencies);

  await expect(brokenHealth.failed(await endpoints.get("acme", id))).rejects.toThrow("outage");
});

test("a transaction that is cancelled without a reason is thrown unchanged", async () => {
  const cancelled = new TransactionCanceledException({ message: "cancelled", $metadata: {} });
  const broken = clientAround(store.client, () => Promise.reject(cancelled));
  const repository = new WebhookEndpointRepository(broken, store.tableName, store.now);

  await expect(repository.register("acme", newEndpointId(runtime), REGISTRATION, "1.sealed")).rejects.toBe(
    cancelled,
  );
});

test("webhook endpoints are listed by registration time, whatever their ids", async () => {
  const [first, second] = [newEndpointId(runtime), newEndpointId(runtime)].sort();
  await endpoints.register("acme", first ?? "", REGISTRATION, "1.sealed");
  store.pass(-1_000);
  await endpoints.register("acme", second ?? "", REGISTRATION, "1.sealed");

  expect((await endpoints.list("acme")).map(({ id }) => id)).toEqual([second, first]);
});

test("a secret rotation that loses eight races fails with a temporary error", async () => {
  const id = newEndpointId(runtime);
  await endpoints.register("acme", id, REGISTRATION, "1.sealed");
  let races = 0;
  const racing = clientAround(store.client, async ({ name }, send) => {
    if (name === "TransactWrite") {
      races += 1;
      await secrets.rotate("acme", id, `1.other${races}`);
    }
    return send();
  });

  const rotating = new SealedSecretRepository(racing, store.tableName, store.now).rotate(
    "acme",
    id,
    "1.mine",
  );

  await expect(rotating).rejects.toMatchObject({ code: "service_unavailable" });
  expect(races).toBe(8);
});

test("a webhook endpoint is shown to integrators without its secrets and failure counters", async () => {
  const id = newEndpointId(runtime);
  await endpoints.register("acme", id, { ...REGISTRATION, description: "Ours" }, "1.sealed");
  await secrets.rotate("acme", id, "2.sealed");
  await health.failed(await endpoints.get("acme", id));

  expect(toWebhookEndpoint(await endpoints.get("acme", id))).toEqual({
    ...REGISTRATION,
    id,
    active: true,
    createdAt: store.now().toISOString(),
    description: "Ours",
    failingSince: store.now().toISOString(),
  });
});
