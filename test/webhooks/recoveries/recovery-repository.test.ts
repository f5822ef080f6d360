import { type DynamoDBDocumentClient, TransactWriteCommand, UpdateCommand } from "@aws-sdk/lib-dynamodb";
import { beforeEach, expect, test } from "vitest";
import { newEndpointId, newRecoveryId } from "#contract/identifiers";
import { runtime } from "#runtime/runtime";
import { RecoveryRepository } from "#webhooks/recoveries/recovery-repository";
import type { StoredRecovery } from "#webhooks/recoveries/stored-recovery";
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
function failing(kind: typeof TransactWriteCommand | typeof UpdateCommand): RecoveryRepository {
  let fails = true;
  const send = async (command: object) => {
    if (!fails || !(command instanceof kind)) return store.client.send(command as never);
    fails = false;
    throw new Error("outage");
  };
  const client = Object.create(store.client, { send: { value: send } }) as DynamoDBDocumentClient;
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

test("what is no recovery's id is not looked up", async () => {
  const unread = new RecoveryRepository({} as DynamoDBDocumentClient, store.tableName, store.now);

  expect(await unread.find(newEndpointId(runtime), "rec_1")).toBeUndefined();
});
