import { GetSecretValueCommand, SecretsManagerClient } from "@aws-sdk/client-secrets-manager";
import { mockClient } from "aws-sdk-client-mock";
import { afterAll, beforeAll, beforeEach, expect, inject, test } from "vitest";
import { newEndpointId } from "#contract/identifiers";
import { runtime } from "#runtime/runtime";
import { reseal } from "#webhooks/endpoints/reseal";
import { SealedSecretRepository } from "#webhooks/endpoints/sealed-secret-repository";
import { SecretBox } from "#webhooks/endpoints/secret-box";
import { SigningSecrets } from "#webhooks/endpoints/signing-secrets";
import { WebhookEndpointRepository } from "#webhooks/endpoints/webhook-endpoint-repository";
import { aStore, type Store } from "../../lifecycle/candidate-store.ts";

const secretsManager = new SecretsManagerClient({ region: "eu-west-1" });
const manager = mockClient(secretsManager);
const KEYS = { "1": "generated-by-secrets-manager-1", "2": "generated-by-secrets-manager-2" };
const REGISTRATION = { url: "https://receiver.example.com/", eventTypes: ["candidate.received" as const] };

let store: Store;
beforeAll(async () => {
  store = await aStore(inject("dynamoDbEndpoint"));
});
afterAll(() => store?.close());
beforeEach(() => current("1"));

function current(keyId: keyof typeof KEYS): void {
  manager.reset();
  manager.on(GetSecretValueCommand).resolves({ SecretString: JSON.stringify({ current: keyId, ...KEYS }) });
}

/** The service as a process finds it that starts now. */
function aProcess() {
  const box = new SecretBox(secretsManager, "keyring", runtime);
  const endpoints = new WebhookEndpointRepository(store.client, store.tableName, runtime.now);
  const sealedSecrets = new SealedSecretRepository(store.client, store.tableName, runtime.now);
  return { box, signingSecrets: new SigningSecrets(box, runtime), endpoints, sealedSecrets };
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

test("resealing seals a secret of a former key with the current key, and the secret stays the same", async () => {
  const old = await Promise.all(["acme", "acme", "globex"].map((orgId) => anEndpoint(orgId)));
  current("2");
  const fresh = await anEndpoint("acme");
  const { sealedSecret: untouched } = await stored(fresh);

  await expect(reseal(100, aProcess())).resolves.toBe(3);
  await expect(reseal(100, aProcess())).resolves.toBe(0);

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

  await expect(reseal(100, aProcess())).resolves.toBe(1);
  await expect(reseal(100, aProcess())).resolves.toBe(0);

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
  for (let round = 0; round < 4; round++) rounds.push(await reseal(2, aProcess()));

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

  await expect(reseal(100, { ...service, signingSecrets: racing })).resolves.toBe(0);

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
  await expect(reseal(1, { ...service, sealedSecrets: outdated })).resolves.toBe(1);
  const { sealedSecret } = await stored(resealed);

  await expect(reseal(100, { ...service, sealedSecrets: outdated })).resolves.toBe(1);

  expect((await stored(resealed)).sealedSecret).toBe(sealedSecret);
  expect((await stored(waiting)).sealedSecret).toMatch(/^2\./);
});
