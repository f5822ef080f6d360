import { beforeEach, describe, expect, onTestFinished, test, vi } from "vitest";
import { newEndpointId } from "#contract/identifiers";
import { runtime } from "#runtime/runtime";
import { EndpointHealthRepository } from "#webhooks/endpoints/endpoint-health-repository";
import { laneOf } from "#webhooks/endpoints/lane";
import { SealedSecretRepository } from "#webhooks/endpoints/sealed-secret-repository";
import { WebhookEndpointCache } from "#webhooks/endpoints/webhook-endpoint-cache";
import { WebhookEndpointRepository } from "#webhooks/endpoints/webhook-endpoint-repository";
import { clientAround } from "../../builders/client-around.ts";
import { runtimeAt } from "../../builders/runtime.ts";
import { SimulatedStore } from "../../simulation/simulated-store.ts";

const REGISTRATION = { url: "https://a.example.com", eventTypes: ["candidate.received" as const] };
const MINUTE = 60_000;

let store: SimulatedStore;
/** What the process under test has read. */
let reads: string[];
/** What happens after the process has read versions. */
let afterVersions: () => Promise<unknown>;
let repository: WebhookEndpointRepository;
let health: EndpointHealthRepository;
let secrets: SealedSecretRepository;
let cache: WebhookEndpointCache;
const sources = () => ({ ...runtimeAt(store.now), schedule: "standard" }) as const;
beforeEach(() => {
  store = new SimulatedStore();
  reads = [];
  afterVersions = async () => undefined;
  repository = new WebhookEndpointRepository(store.client, store.tableName, store.now);
  health = new EndpointHealthRepository(store.client, store.tableName, sources());
  secrets = new SealedSecretRepository(store.client, store.tableName, store.now);
  cache = new WebhookEndpointCache(
    {
      find: (orgId, id) => {
        reads.push("find");
        return repository.find(orgId, id);
      },
      list: (orgId) => {
        reads.push("list");
        return repository.list(orgId);
      },
      versions: async (orgId) => {
        reads.push("versions");
        const versions = await repository.versions(orgId);
        await afterVersions();
        return versions;
      },
    },
    store.now,
  );
});

/** An endpoint that has not responded yet. */
async function justRegistered(orgId = "acme"): Promise<string> {
  const id = newEndpointId(runtime);
  await repository.register(orgId, id, REGISTRATION, "1.sealed");
  store.pass(1);
  return id;
}

/** An endpoint that has responded fast. */
async function registered(orgId = "acme"): Promise<string> {
  const id = await justRegistered(orgId);
  await health.succeeded(await repository.get(orgId, id), 12);
  return id;
}

const endpoint = (id: string) => repository.get("acme", id);

test("unchanged endpoints are listed from memory, after one read of their versions", async () => {
  await registered();
  await registered();

  const first = await cache.list("acme");
  const second = await cache.list("acme");

  expect(second).toEqual(first);
  expect(reads).toEqual(["list", "versions"]);
});

test("an organisation's first event takes a single read", async () => {
  const id = await registered();

  expect(await cache.find("acme", id)).toMatchObject({ id });
  expect(reads).toEqual(["find"]);
});

test("an organisation without endpoints has none, and gets its first one at once", async () => {
  expect([await cache.list("acme"), await cache.list("acme")]).toEqual([[], []]);

  const id = await registered();

  expect(await cache.list("acme")).toMatchObject([{ id }]);
});

describe("a change is seen by the next read of another process:", () => {
  type Change = (id: string) => Promise<unknown>;

  const changes: [string, Change][] = [
    ["another address", (id) => repository.update("acme", id, { url: "https://b.example.com" })],
    ["other event types", (id) => repository.update("acme", id, { eventTypes: ["candidate.erased"] })],
    ["deactivation", (id) => repository.update("acme", id, { active: false })],
    ["deletion", (id) => repository.delete("acme", id)],
    ["a rotated secret", (id) => secrets.rotate("acme", id, "2.rotated")],
    ["a resealed secret", async (id) => secrets.reseal(await endpoint(id), "2.resealed")],
    ["suspicion", async (id) => health.suspected(await endpoint(id))],
    ["a cut attempt", async (id) => health.cut(await endpoint(id), "delivery")],
    ["failing", async (id) => health.failed(await endpoint(id))],
    [
      "deactivation after a 410",
      async (id) => health.deactivate(await endpoint(id), "gone", store.now().toISOString()),
    ],
    [
      "recovery from failures",
      async (id) => {
        await health.failed(await endpoint(id));
        await cache.find("acme", id);
        await health.succeeded(await endpoint(id), 12);
      },
    ],
    [
      "recovery from suspicion",
      async (id) => {
        await health.suspected(await endpoint(id));
        await cache.find("acme", id);
        await health.succeeded(await endpoint(id), 12);
      },
    ],
  ];

  test.each(changes)("%s", async (_what, change) => {
    const id = await registered();
    const other = await registered();
    for (const each of [id, other, id]) await cache.find("acme", each);
    await cache.list("acme");

    await change(id);

    const now = await repository.find("acme", id);
    expect(await cache.find("acme", id)).toEqual(now);
    expect(await cache.list("acme")).toEqual(await repository.list("acme"));
    expect(await cache.find("acme", other)).toMatchObject({ id: other });
  });

  test("the first fast response of a new endpoint", async () => {
    const id = await justRegistered();
    await cache.list("acme");

    await health.succeeded(await endpoint(id), 12);

    expect((await cache.list("acme")).map(laneOf)).toEqual(["delivery"]);
  });

  test("registration", async () => {
    await registered();
    await cache.list("acme");

    const id = await justRegistered();

    expect(await cache.list("acme")).toHaveLength(2);
    expect(await cache.find("acme", id)).toMatchObject({ id });
  });
});

test("a deletion takes one more list, not one for each event", async () => {
  const id = await registered();
  await registered();
  await cache.list("acme");
  await repository.delete("acme", id);
  reads = [];

  expect([await cache.list("acme"), await cache.list("acme")].map(({ length }) => length)).toEqual([1, 1]);
  expect(reads).toEqual(["versions", "list", "versions"]);
});

test("health that changes neither lane nor activity is not announced", async () => {
  const id = await registered();
  await health.cut(await endpoint(id), "side");
  await health.succeeded(await endpoint(id), 12);
  await cache.list("acme");
  await cache.list("acme");
  reads = [];

  await health.succeeded(await endpoint(id), 12);
  await health.failed(await endpoint(id));
  await cache.list("acme");

  expect(reads).toEqual(["versions"]);
});

test("the success of an hour is announced, so that processes that keep the endpoint do not record theirs", async () => {
  const id = await justRegistered();
  await cache.find("acme", id);

  await health.succeeded(await endpoint(id), 1_500);

  expect(await cache.find("acme", id)).toMatchObject({ lastSuccessAt: store.now().toISOString() });
});

test("of many failures at once, one raises the version", async () => {
  const id = await registered();
  const seen = await endpoint(id);

  for (let failures = 0; failures < 5; failures++) {
    await health.failed(seen);
    store.pass(1);
  }

  expect((await repository.versions("acme")).byEndpoint).toEqual({ [id]: 4 });
});

test("of many successes at once that end a series of failures, one raises the version", async () => {
  const id = await registered();
  await health.failed(await endpoint(id));
  const seen = await endpoint(id);

  for (let successes = 0; successes < 5; successes++) await health.succeeded(seen, 12);

  expect((await repository.versions("acme")).byEndpoint).toEqual({ [id]: 5 });
});

test("an attempt that brings an endpoint back to the lane in which it read it raises the version", async () => {
  const id = await registered();
  await health.failed(await endpoint(id));
  const failing = await endpoint(id);
  await health.succeeded(failing, 12);
  await cache.find("acme", id);
  expect(await cache.find("acme", id)).not.toHaveProperty("failingSince");
  store.pass(1);

  await health.failed(failing);

  expect(await cache.find("acme", id)).toHaveProperty("failingSince");
});

test("an endpoint changed between the reads of versions and endpoints is not kept under the former version", async () => {
  const id = await registered();
  await cache.list("acme");
  await repository.update("acme", id, { url: "https://b.example.com" });
  afterVersions = () => repository.update("acme", id, { url: "https://c.example.com" });
  await cache.list("acme");
  afterVersions = async () => undefined;
  reads = [];

  expect(await cache.list("acme")).toMatchObject([{ url: "https://c.example.com" }]);
  expect(reads).toEqual(["versions"]);
  await repository.update("acme", id, { url: "https://d.example.com" });
  expect(await cache.list("acme")).toMatchObject([{ url: "https://d.example.com" }]);
});

test("one changed endpoint of fifty is read alone, and fifty unknown ones with one query", async () => {
  const ids: string[] = [];
  for (let count = 0; count < 50; count++) ids.push(await registered());
  const [first = "", second = "", third = ""] = ids;
  await cache.find("acme", first);
  expect(await cache.find("acme", second)).toMatchObject({ id: second });
  await health.suspected(await endpoint(third));
  for (const id of [third, second, third]) expect(await cache.find("acme", id)).toMatchObject({ id });

  expect(reads).toEqual(["find", "versions", "list", "versions", "find", "versions", "versions"]);
});

test("what is kept is read again after a minute, if a version could not be raised", async () => {
  const id = await registered();
  const failing = clientAround(store.client, async ({ name }, send) => {
    if (name === "TransactWrite") throw new Error("outage");
    return send();
  });
  await cache.list("acme");

  const error = vi.spyOn(console, "error").mockImplementation(() => {});
  onTestFinished(() => error.mockRestore());
  await new EndpointHealthRepository(failing, store.tableName, sources()).cut(await endpoint(id), "delivery");
  store.pass(MINUTE - 1);
  expect(await cache.find("acme", id)).not.toHaveProperty("probationSince");
  store.pass(1);

  expect(await cache.find("acme", id)).toHaveProperty("probationSince");
});

test("the endpoints of two hundred organisations are kept, and the first read make room", async () => {
  for (let number = 0; number <= 200; number++) await cache.list(`organisation-${number}`);
  reads = [];

  await cache.list("organisation-200");
  await cache.list("organisation-1");
  await cache.list("organisation-0");

  expect(reads).toEqual(["versions", "versions", "list"]);
});
