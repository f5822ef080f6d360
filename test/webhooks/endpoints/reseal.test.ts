import { randomUUID } from "node:crypto";
import { GetSecretValueCommand, SecretsManagerClient } from "@aws-sdk/client-secrets-manager";
import { mockClient } from "aws-sdk-client-mock";
import { afterAll, beforeAll, beforeEach, describe, expect, inject, test } from "vitest";
import { newEndpointId } from "#contract/identifiers";
import { runtime } from "#runtime/runtime";
import { Keyring } from "#webhooks/endpoints/keyring";
import { reseal } from "#webhooks/endpoints/reseal";
import { SealedSecretRepository } from "#webhooks/endpoints/sealed-secret-repository";
import { SecretBox, UnopenableSecret } from "#webhooks/endpoints/secret-box";
import { SigningSecrets } from "#webhooks/endpoints/signing-secrets";
import type { StoredEndpoint } from "#webhooks/endpoints/stored-endpoint";
import { WebhookEndpointRepository } from "#webhooks/endpoints/webhook-endpoint-repository";
import { capturedLogs } from "../../builders/captured-logs.ts";
import { aStore, type Store } from "../../candidates/candidate-store.ts";

const secretsManager = new SecretsManagerClient({ region: "eu-west-1" });
const manager = mockClient(secretsManager);
const KEYS = { "1": "generated-by-secrets-manager-1", "2": "generated-by-secrets-manager-2" };
const REGISTRATION = { url: "https://receiver.example.com/", eventTypes: ["candidate.received" as const] };

const logs = capturedLogs();

let store: Store;
beforeAll(async () => {
  store = await aStore(inject("dynamoDbEndpoint"));
});
afterAll(() => store?.close());
beforeEach(() => current("1"));

function current(keyId: keyof typeof KEYS, keys: Readonly<Record<string, string>> = KEYS): void {
  manager.reset();
  manager.on(GetSecretValueCommand).resolves({ SecretString: JSON.stringify({ current: keyId, ...keys }) });
}

/** The service as a process finds it that starts now. */
function aProcess() {
  const keyring = new Keyring(secretsManager, "keyring", runtime.now);
  const endpoints = new WebhookEndpointRepository(store.client, store.tableName, runtime.now);
  const sealedSecrets = new SealedSecretRepository(store.client, store.tableName, runtime.now);
  return {
    keyring,
    signingSecrets: new SigningSecrets(new SecretBox(keyring, runtime.randomBytes), runtime),
    endpoints,
    sealedSecrets,
    now: runtime.now,
  };
}

async function anEndpoint(orgId: string, { signingSecrets, endpoints } = aProcess()) {
  const id = newEndpointId(runtime);
  const { signingSecret, sealedSecret } = await signingSecrets.issue(orgId, id);
  await endpoints.register(orgId, id, REGISTRATION, sealedSecret);
  return { orgId, id, signingSecret };
}

async function stored({ orgId, id }: { orgId: string; id: string }) {
  const endpoint = await aProcess().endpoints.get(orgId, id);
  return { ...endpoint, opened: await aProcess().signingSecrets.open(endpoint) };
}

const allOpened = (resealed: number) => ({ resealed, unopened: 0 });

test("resealing seals a secret of a former key with the current key, and the secret stays the same", async () => {
  const old = await Promise.all(["acme", "acme", "globex"].map((orgId) => anEndpoint(orgId)));
  current("2");
  const fresh = await anEndpoint("acme");
  const { sealedSecret: untouched } = await stored(fresh);

  await expect(reseal(100, aProcess())).resolves.toEqual(allOpened(3));
  await expect(reseal(100, aProcess())).resolves.toEqual(allOpened(0));

  for (const endpoint of old) {
    const { sealedSecret, opened } = await stored(endpoint);
    expect(sealedSecret).toMatch(/^2\./);
    expect(opened).toBe(endpoint.signingSecret);
  }
  expect((await stored(fresh)).sealedSecret).toBe(untouched);
});

test.each([
  { sealedWith: "1", rotatedWith: "1" },
  { sealedWith: "1", rotatedWith: "2" },
  // A process that seals with a former key for a while yet.
  { sealedWith: "2", rotatedWith: "1" },
] as const)("resealing includes a replaced secret: %j", async ({ sealedWith, rotatedWith }) => {
  current(sealedWith);
  const { orgId, id, signingSecret: first } = await anEndpoint("hooli");
  current(rotatedWith);
  const { sealedSecrets, signingSecrets } = aProcess();
  const { signingSecret: second, sealedSecret } = await signingSecrets.issue(orgId, id);
  await sealedSecrets.rotate(orgId, id, sealedSecret);
  current("2");

  await expect(reseal(100, aProcess())).resolves.toEqual(allOpened(1));
  await expect(reseal(100, aProcess())).resolves.toEqual(allOpened(0));

  const endpoint = await stored({ orgId, id });
  expect(endpoint).toMatchObject({ opened: second, sealingKeyId: "2" });
  for (const ciphertext of [endpoint.sealedSecret, endpoint.previousSealedSecret ?? ""]) {
    expect(ciphertext).toMatch(/^2\./);
  }
  await expect(
    aProcess().signingSecrets.open({ ...endpoint, sealedSecret: endpoint.previousSealedSecret ?? "" }),
  ).resolves.toBe(first);
});

test("resealing more than one invocation can handle continues in the next", async () => {
  await Promise.all(Array.from({ length: 5 }, () => anEndpoint("initech")));
  current("2");

  const rounds = [];
  for (let round = 0; round < 4; round++) rounds.push((await reseal(2, aProcess())).resealed);

  expect(rounds).toEqual([2, 2, 1, 0]);
});

test("resealing keeps a secret changed in the meantime and does not restore a deleted endpoint", async () => {
  const [changed, deleted] = await Promise.all([anEndpoint("umbrella"), anEndpoint("umbrella")]);
  current("2");
  const service = aProcess();
  const { signingSecrets, endpoints, sealedSecrets } = service;
  const racing = {
    reseal: async (endpoint: Parameters<typeof signingSecrets.reseal>[0]) => {
      const resealed = await signingSecrets.reseal(endpoint);
      if (endpoint.id === deleted.id) await endpoints.delete("umbrella", deleted.id);
      else await sealedSecrets.reseal(await endpoints.get("umbrella", changed.id), `${resealed}changed`);
      return resealed;
    },
  };

  await expect(reseal(100, { ...service, signingSecrets: racing })).resolves.toEqual(allOpened(0));

  expect((await endpoints.get("umbrella", changed.id)).sealedSecret).toMatch(/changed$/);
  await expect(endpoints.find("umbrella", deleted.id)).resolves.toBeUndefined();
});

test("resealing skips endpoints that the index still lists: resealed already, or deleted", async () => {
  const [resealed, deleted, waiting] = [await anEndpoint("a"), await anEndpoint("b"), await anEndpoint("c")];
  await aProcess().endpoints.delete("b", deleted.id);
  current("2");
  const service = aProcess();
  const outdated = {
    sealedWith: async function* () {
      yield* [resealed, deleted, waiting];
    },
    reseal: service.sealedSecrets.reseal.bind(service.sealedSecrets),
  };
  await expect(reseal(1, { ...service, sealedSecrets: outdated })).resolves.toEqual(allOpened(1));
  const { sealedSecret } = await stored(resealed);

  await expect(reseal(100, { ...service, sealedSecrets: outdated })).resolves.toEqual(allOpened(1));

  expect((await stored(resealed)).sealedSecret).toBe(sealedSecret);
  expect((await stored(waiting)).sealedSecret).toMatch(/^2\./);
});

describe("a secret that cannot be opened", () => {
  const { "1": first, "2": second } = KEYS;

  test.each([
    ["an older key was lost", { sealedWith: "1", current: "2", keys: { "2": second } }],
    ["the newest key was lost", { sealedWith: "2", current: "1", keys: { "1": first } }],
    ["a key was replaced", { sealedWith: "1", current: "2", keys: { "1": "another", "2": second } }],
  ] as const)("because %s is counted and logged, and stays as it is", async (_why, lost) => {
    const orgId = `lost-${randomUUID()}`;
    current(lost.sealedWith);
    const endpoint = await anEndpoint(orgId);
    const { sealedSecret } = await stored(endpoint);
    current(lost.current, lost.keys);
    const { sealedSecrets, ...service } = aProcess();
    const ofOne = {
      reseal: sealedSecrets.reseal.bind(sealedSecrets),
      async *sealedWith(keyId: string) {
        for await (const each of sealedSecrets.sealedWith(keyId)) if (each.orgId === orgId) yield each;
      },
    };

    await expect(reseal(100, { ...service, sealedSecrets: ofOne })).resolves.toEqual({
      resealed: 0,
      unopened: 1,
    });

    expect(logs.lines().map((line) => JSON.parse(line))).toMatchObject([
      { level: "ERROR", message: "signing secret not opened", orgId, endpointId: endpoint.id },
    ]);
    expect(logs.text()).not.toContain(sealedSecret);
    await expect(service.endpoints.get(orgId, endpoint.id)).resolves.toMatchObject({ sealedSecret });
  });

  test("does not keep others from being resealed", async () => {
    const orgId = `lost-${randomUUID()}`;
    const [bad, good] = [await anEndpoint(orgId), await anEndpoint(orgId)];
    current("2");
    const { sealedSecrets, ...service } = aProcess();
    const both = {
      reseal: sealedSecrets.reseal.bind(sealedSecrets),
      async *sealedWith(keyId: string) {
        if (keyId === "1") yield* [bad, good];
      },
    };
    const signingSecrets = {
      reseal: async (endpoint: StoredEndpoint) => {
        if (endpoint.id === bad.id) throw new UnopenableSecret("1", {});
        return service.signingSecrets.reseal(endpoint);
      },
    };

    await expect(reseal(100, { ...service, signingSecrets, sealedSecrets: both })).resolves.toEqual({
      resealed: 1,
      unopened: 1,
    });
  });

  test("counts towards the limit of an invocation", async () => {
    const endpoints = [await anEndpoint("lost"), await anEndpoint("lost")];
    current("2");
    const { sealedSecrets: _, ...service } = aProcess();
    const signingSecrets = {
      reseal: async () => {
        throw new UnopenableSecret("1", {});
      },
    };
    const sealedSecrets = {
      reseal: async () => true,
      async *sealedWith(keyId: string) {
        if (keyId === "1") yield* endpoints;
      },
    };

    await expect(reseal(1, { ...service, signingSecrets, sealedSecrets })).resolves.toEqual({
      resealed: 0,
      unopened: 1,
    });
  });

  test("because it is a previous one that no longer signs does not keep the current one from being resealed", async () => {
    const orgId = `lost-${randomUUID()}`;
    const { id } = await anEndpoint(orgId);
    current("2");
    const service = aProcess();
    const { signingSecret, sealedSecret } = await service.signingSecrets.issue(orgId, id);
    await service.sealedSecrets.rotate(orgId, id, sealedSecret);
    current("2", { "2": second });
    const twoDaysLater = new Date(runtime.now().getTime() + 2 * 24 * 3_600_000);
    const sealedSecrets = {
      reseal: service.sealedSecrets.reseal.bind(service.sealedSecrets),
      async *sealedWith(keyId: string) {
        if (keyId === "1") yield { orgId, id };
      },
    };

    const { endpoints, ...rest } = aProcess();
    await expect(
      reseal(100, { ...rest, endpoints, sealedSecrets, now: () => twoDaysLater }),
    ).resolves.toEqual(allOpened(1));

    expect(await stored({ orgId, id })).toMatchObject({ opened: signingSecret, sealingKeyId: "2" });
  });

  test("for want of the keyring is not counted: the command fails", async () => {
    const orgId = `lost-${randomUUID()}`;
    const endpoint = await anEndpoint(orgId);
    current("2");
    const service = aProcess();
    const outage = new Error("outage");
    const signingSecrets = {
      reseal: async () => {
        throw outage;
      },
    };
    const sealedSecrets = {
      reseal: async () => true,
      async *sealedWith() {
        yield endpoint;
      },
    };

    await expect(reseal(100, { ...service, signingSecrets, sealedSecrets })).rejects.toBe(outage);
  });
});
