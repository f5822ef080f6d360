import { unmarshall } from "@aws-sdk/util-dynamodb";
import { beforeEach, expect, test } from "vitest";
import { ApiKeyRepository } from "#api-keys/api-key-repository";
import { transition } from "#candidates/change";
import { canonicalIdOf, digestOf, parseHandle, stagedIdOf } from "#candidates/handles";
import { readOutbox } from "#candidates/outbox/outbox";
import { CandidateReader } from "#candidates/store/candidate-reader";
import { CandidateRepository } from "#candidates/store/candidate-repository";
import { candidateKey } from "#candidates/store/item/candidate-key";
import { PartSweep } from "#candidates/store/large/part-sweep";
import { TOMBSTONE_DAYS } from "#candidates/store/write/tombstone";
import { CandidateSubmission } from "#contract/candidate-submission";
import { newEndpointId, newEventId } from "#contract/identifiers";
import { ENDPOINTS_PER_ORGANISATION } from "#contract/webhook-endpoint";
import { runtime } from "#runtime/runtime";
import { DeliveryLog } from "#webhooks/delivery/delivery-log";
import { EndpointHealthRepository } from "#webhooks/endpoints/endpoint-health-repository";
import { SealedSecretRepository } from "#webhooks/endpoints/sealed-secret-repository";
import { WebhookEndpointRepository } from "#webhooks/endpoints/webhook-endpoint-repository";
import { ACME } from "../builders/organisation.ts";
import { runtimeAt } from "../builders/runtime.ts";
import { aFullSubmission, documentsOf } from "../builders/submission.ts";
import { aDelivery } from "../webhooks/builders.ts";
import { SimulatedStore } from "./simulated-store.ts";

const DAY = 86_400_000;

let store: SimulatedStore;
beforeEach(() => {
  store = new SimulatedStore();
});

const records = () => store.table.shards.flatMap((shard) => shard.read(0));
const eventTypes = () =>
  records().flatMap(({ dynamodb }) => {
    const { NewImage, SequenceNumber } = dynamodb ?? {};
    if (!NewImage?.["event"]) return [];
    return [readOutbox({ sequenceNumber: SequenceNumber ?? "", newImage: NewImage }).event.type];
  });

test("the simulated table supports a candidate's life from create to the tombstone's expiry", async () => {
  const candidates = new CandidateRepository(store.client, store.tableName, runtimeAt(store.now));
  const reader = new CandidateReader(store.client, store.tableName, runtime);
  const digest = digestOf(ACME, "ext-1");
  const staged = parseHandle(stagedIdOf(digest));
  const canonical = parseHandle(canonicalIdOf(digest));
  const submission = CandidateSubmission.parse(aFullSubmission({ externalId: "ext-1" }));

  const first = await candidates.receive(ACME, submission);
  const again = await candidates.receive(ACME, submission);
  await expect(reader.find("acme", canonical)).rejects.toMatchObject({ code: "not_found" });
  await candidates.change("acme", staged, transition("promote"));
  const amended = await candidates.amend("acme", canonical, { headline: "New", summary: null }, {});
  await expect(
    candidates.amend("acme", canonical, { headline: "Newer" }, { ifMatch: [first.response.receivedAt] }),
  ).rejects.toMatchObject({ code: "precondition_failed" });
  await candidates.change("acme", staged, transition("erase"));

  expect([first.kind, again.kind]).toEqual(["created", "replayed"]);
  expect(again.response).toEqual(first.response);
  expect(amended.members).toMatchObject({ headline: "New" });
  expect(eventTypes()).toEqual(["candidate.received", "candidate.promoted", "candidate.erased"]);
  expect(JSON.stringify([...store.table.items()])).not.toContain("ext-1");
  store.pass((TOMBSTONE_DAYS + 1) * DAY);
  expect(store.table.removeExpired()).toBe(1);
  expect([...store.table.items()]).toEqual([]);
});

test("the simulated table supports a candidate in parts, which a sweep keeps while referenced", async () => {
  const candidates = new CandidateRepository(store.client, store.tableName, runtimeAt(store.now));
  const reader = new CandidateReader(store.client, store.tableName, runtime);
  const digest = digestOf(ACME, "ext-2");
  const { pk } = candidateKey("acme", digest);
  const documents = documentsOf(3_000_000);
  const submission = CandidateSubmission.parse(aFullSubmission({ externalId: "ext-2", documents }));
  const sweep = () => new PartSweep(store.client, store.tableName).sweep(pk);
  const parts = () => [...store.table.items()].filter((item) => unmarshall(item)["sk"].startsWith("PART#"));

  await candidates.receive(ACME, submission);
  const stored = parts().length;
  store.pass(2 * 3_600_000);
  store.table.removeExpired();
  await sweep();
  const { members } = await reader.find("acme", parseHandle(stagedIdOf(digest)));
  await candidates.change("acme", parseHandle(stagedIdOf(digest)), transition("erase"));
  store.pass(2 * 3_600_000);
  store.table.removeExpired();
  await sweep();

  expect(stored).toBeGreaterThan(5);
  expect(members.documents).toHaveLength(documents.length);
  expect(parts()).toEqual([]);
});

test("the simulated table supports registering, rotating, failing and deleting endpoints", async () => {
  const endpoints = new WebhookEndpointRepository(store.client, store.tableName, store.now);
  const health = new EndpointHealthRepository(store.client, store.tableName, {
    ...runtimeAt(store.now),
    schedule: "standard",
  });
  const secrets = new SealedSecretRepository(store.client, store.tableName, store.now);
  const registration = { url: "https://a.example.com", eventTypes: ["candidate.received" as const] };
  const register = async () => {
    store.pass(1);
    const id = newEndpointId(runtime);
    await endpoints.register("acme", id, registration, "1.sealed");
    return id;
  };
  const ids: string[] = [];
  for (let count = 0; count < ENDPOINTS_PER_ORGANISATION; count++) ids.push(await register());
  await expect(register()).rejects.toMatchObject({ code: "invalid_request" });
  const [first = "", second = "", third = ""] = ids;

  await endpoints.delete("acme", first);
  await expect(endpoints.delete("acme", first)).rejects.toMatchObject({ code: "not_found" });
  ids.push(await register());
  await endpoints.update("acme", second, { description: "A description" });
  const rotated = await secrets.rotate("acme", second, "2.sealed");
  const failed = await health.failed(await endpoints.get("acme", third));
  const failingSince = failed?.failingSince ?? "";
  const stopped = failed && (await health.deactivate(failed, "failing", failingSince));
  await endpoints.update("acme", third, { active: true });

  expect((await endpoints.list("acme")).map(({ id }) => id)).toEqual(ids.slice(1));
  expect(rotated).toMatchObject({ sealedSecret: "2.sealed", previousSealedSecret: "1.sealed" });
  expect(failed?.failingSince).toBe(store.now().toISOString());
  expect(stopped).toBe(true);
  expect((await endpoints.get("acme", third)).failingSince).toBeUndefined();
  expect(await Array.fromAsync(secrets.sealedWith("1"))).toHaveLength(ENDPOINTS_PER_ORGANISATION);
  await secrets.reseal(await endpoints.get("acme", third), "2.sealed");
  expect(await Array.fromAsync(secrets.sealedWith("2"))).toMatchObject([{ orgId: "acme", id: third }]);
});

test("the simulated table supports recording a delivery's attempts and listing deliveries by page", async () => {
  const log = new DeliveryLog(store.client, store.tableName, store.now);
  const endpointId = newEndpointId(runtime);
  const eventIds = Array.from({ length: 5 }, () => newEventId(runtime)).sort();
  const deliveries = eventIds.map((eventId) => aDelivery({ endpointId, eventId }));
  const attempt = (number: number) => ({
    attempt: number,
    at: new Date(store.milliseconds + number).toISOString(),
    durationMs: 12,
  });
  for (const delivery of deliveries) {
    const lastAttempt = { ...attempt(1), failure: "timeout" as const };
    await log.record(delivery, { status: "pending", lastAttempt, nextAttemptAt: store.now().toISOString() });
    await log.record(delivery, { status: "delivered", lastAttempt: { ...attempt(2), statusCode: 204 } });
    await log.record(delivery, { status: "pending", lastAttempt: { ...attempt(3), statusCode: 500 } });
  }

  const page = await log.list(endpointId, { limit: 3 });
  const rest = await log.list(endpointId, { limit: 3, after: page.at(-1)?.eventId });

  expect([...page, ...rest].map(({ eventId }) => eventId)).toEqual(eventIds.toReversed());
  expect(page[0]).toMatchObject({
    status: "delivered",
    attempts: [{ attempt: 1 }, { attempt: 2 }, { attempt: 3 }],
  });
  store.pass(31 * DAY);
  expect(store.table.removeExpired()).toBe(5);
});

test("the simulated table supports issuing, finding, listing and revoking API keys", async () => {
  const keys = new ApiKeyRepository(store.client, store.tableName, "development", store.now);
  const issued = await keys.issue({ orgId: "acme", newOrganisation: true, name: "first" });
  await expect(keys.issue({ orgId: "acme", newOrganisation: true, name: "again" })).rejects.toMatchObject({
    code: "invalid_request",
  });
  store.pass(1_000);
  const second = await keys.issue({ orgId: "acme", name: "second" });

  const known = await keys.authenticate(issued.apiKey);
  if (!known) throw new Error("The key is known.");
  await keys.recordUse(known);
  store.pass(60_000);
  await keys.recordUse(known);
  const [listed] = await keys.list("acme");
  const revoked = await keys.revoke(issued.keyId);
  store.pass(60_000);

  expect(listed?.lastUsedAt).toBe(new Date(Date.parse(second.createdAt)).toISOString());
  expect((await keys.list("acme")).map(({ name }) => name)).toEqual(["first", "second"]);
  expect((await keys.revoke(issued.keyId)).revokedAt).toBe(revoked.revokedAt);
  expect(await keys.authenticate(issued.apiKey)).toBeUndefined();
  await expect(keys.revoke("unknown")).rejects.toMatchObject({ code: "not_found" });
});

test("in the simulated table a new API key is missing from the list, an index, for a while", async () => {
  const keys = new ApiKeyRepository(store.client, store.tableName, "development", store.now);
  store.staleness = 0.999;

  await keys.issue({ orgId: "acme", newOrganisation: true, name: "first" });
  const listedAtOnce = await keys.list("acme");
  store.pass(1_000);

  expect(listedAtOnce).toEqual([]);
  expect(await keys.list("acme")).toHaveLength(1);
});
