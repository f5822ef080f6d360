import {
  type DynamoDBDocumentClient,
  PutCommand,
  TransactWriteCommand,
  UpdateCommand,
} from "@aws-sdk/lib-dynamodb";
import { beforeEach, expect, test } from "vitest";
import { newEndpointId, newRecoveryId } from "#contract/identifiers";
import { runtime } from "#runtime/runtime";
import { WebhookEndpointRepository } from "#webhooks/endpoints/webhook-endpoint-repository";
import { RecoveryRepository } from "#webhooks/recoveries/recovery-repository";
import type { StoredRecovery } from "#webhooks/recoveries/stored-recovery";
import { clientAround } from "../../builders/client-around.ts";
import { SimulatedStore } from "../../simulation/simulated-store.ts";

/** On it, an eventually consistent read returns the oldest state that it may. */
let store: SimulatedStore;
let recoveries: RecoveryRepository;
beforeEach(() => {
  store = new SimulatedStore();
  store.staleness = 0.999;
  recoveries = new RecoveryRepository(store.client, store.tableName, store.now);
});

function aRecovery(endpointId = newEndpointId(runtime)): StoredRecovery {
  const moment = store.now().toISOString();
  return {
    id: newRecoveryId(runtime),
    status: "running",
    found: 0,
    sent: 0,
    since: moment,
    until: moment,
    eventTypes: ["candidate.received"],
    startedAt: moment,
    orgId: "acme",
    endpointId,
    position: moment,
    eventsRead: 0,
    pacedUntil: moment,
    progressAt: moment,
    receives: 0,
  };
}

/** Recoveries in a table that fails the first command of a kind. */
function failing(
  kind: typeof PutCommand | typeof TransactWriteCommand | typeof UpdateCommand,
): RecoveryRepository {
  let fails = true;
  const client = clientAround(store.client, async ({ command }, send) => {
    if (!fails || !(command instanceof kind)) return send();
    fails = false;
    throw new Error("outage");
  });
  return new RecoveryRepository(client, store.tableName, store.now);
}

test("a recovery is found with strong consistency, and is the latest of its endpoint", async () => {
  const recovery = aRecovery();

  await recoveries.start(recovery);

  expect(await recoveries.find(recovery.endpointId, recovery.id)).toEqual(recovery);
  expect(await recoveries.isLatest(recovery)).toBe(true);
});

test("a recovery whose start was lost to its caller is started again as the same one", async () => {
  const recovery = aRecovery();
  await recoveries.start(recovery);

  expect(await recoveries.start(recovery)).toBeUndefined();
});

test("of the first recoveries of an endpoint that start at once, one begins", async () => {
  const endpointId = newEndpointId(runtime);
  const [one, other] = [aRecovery(endpointId), aRecovery(endpointId)];

  const running = await Promise.all([recoveries.start(one), recoveries.start(other)]);

  expect(running.filter((each) => each === undefined)).toHaveLength(1);
  expect(running).toContainEqual((await recoveries.isLatest(one)) ? one : other);
});

test("a fault of the table is thrown unchanged, by a start and by a step", async () => {
  const recovery = aRecovery();
  await expect(failing(TransactWriteCommand).start(recovery)).rejects.toThrow("outage");
  await recoveries.start(recovery);

  await expect(failing(UpdateCommand).advance(recovery, { found: 1 })).rejects.toThrow("outage");
});

test("a fault of the table is thrown unchanged by a withdrawal, and by the step that ends what was missed", async () => {
  const recovery = aRecovery();
  await recoveries.start(recovery);
  await expect(failing(PutCommand).withdraw(recovery, "stopped")).rejects.toThrow("outage");

  const missing = { ...recovery, missedSince: store.now().toISOString() };
  await expect(failing(TransactWriteCommand).advance(missing, { status: "completed" })).rejects.toThrow(
    "outage",
  );
});

test("a recovery is withdrawn until its first page is recorded", async () => {
  const [unsent, begun] = [aRecovery(), { ...aRecovery(), receives: 1 }];
  for (const each of [unsent, begun]) await recoveries.start(each);

  expect(await recoveries.withdraw(unsent, "stopped")).toBe(true);
  expect(await recoveries.withdraw(begun, "stopped")).toBe(false);
  expect(await recoveries.find(unsent.endpointId, unsent.id)).toMatchObject({ status: "failed" });
  expect(await recoveries.find(begun.endpointId, begun.id)).toEqual(begun);
});

test.each([
  ["has missed nothing after it", true],
  ["is inactive again, and misses more", false],
])("the last step is recorded, and what was missed ends only if the endpoint %s", async (_what, ends) => {
  const endpoints = new WebhookEndpointRepository(store.client, store.tableName, store.now);
  const recovery = aRecovery();
  const { endpointId } = recovery;
  const url = "https://a.example.com";
  await endpoints.register("acme", endpointId, { url, eventTypes: ["candidate.received"] }, "1.sealed");
  const { missedSince } = await endpoints.update("acme", endpointId, { active: false });
  if (ends) await endpoints.update("acme", endpointId, { active: true });
  await recoveries.start(recovery);

  const step = await recoveries.advance({ ...recovery, missedSince }, { status: "completed" });

  expect(step).toMatchObject({ status: "completed" });
  expect(await recoveries.find(endpointId, recovery.id)).toMatchObject({ status: "completed" });
  expect("missedSince" in (await endpoints.get("acme", endpointId))).toBe(!ends);
});

test("what is no recovery's id is not looked up", async () => {
  const unread = new RecoveryRepository({} as DynamoDBDocumentClient, store.tableName, store.now);

  expect(await unread.find(newEndpointId(runtime), "rec_1")).toBeUndefined();
});
