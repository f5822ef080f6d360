import { type DynamoDBDocumentClient, QueryCommand } from "@aws-sdk/lib-dynamodb";
import { beforeEach, expect, test } from "vitest";
import { transition } from "#candidates/change";
import { digestOf, parseHandle, stagedIdOf } from "#candidates/handles";
import { CandidateLives } from "#candidates/outbox/candidate-lives";
import { CandidateReader } from "#candidates/store/candidate-reader";
import { CandidateRepository } from "#candidates/store/candidate-repository";
import { candidateKey } from "#candidates/store/item/candidate-key";
import { PartSweep } from "#candidates/store/large/part-sweep";
import { CandidateAmendment, CandidateSubmission } from "#contract/candidate-submission";
import { runtime } from "#runtime/runtime";
import { clientAround } from "../builders/client-around.ts";
import { ACME } from "../builders/organisation.ts";
import { runtimeAt } from "../builders/runtime.ts";
import { aSubmission, documentsOf } from "../builders/submission.ts";
import { SimulatedStore } from "../simulation/simulated-store.ts";

/** Longer than the notice of a write stands. */
const LONG_MS = 2 * 60 * 60 * 1_000;

const digest = digestOf(ACME, "ext-1");
const stagedId = stagedIdOf(digest);
const handle = parseHandle(stagedId);
const { pk } = candidateKey("acme", digest);
const documents = documentsOf(400_000);
const amendment = CandidateAmendment.parse({ documents });

/** On it, an eventually consistent read returns the oldest state that it may. */
let store: SimulatedStore;
beforeEach(() => {
  store = new SimulatedStore();
  store.milliseconds = Date.now();
  store.staleness = 0.999;
});

/** The store's client in a process that is frozen before one request, named as `Put PART`, and dies before another. */
function frozenBefore(frozen: string, dead = ""): DynamoDBDocumentClient {
  return clientAround(store.client, async ({ what }, send) => {
    if (what === dead) throw new Error("dead");
    if (what === frozen) {
      store.pass(LONG_MS);
      store.table.removeExpired();
    }
    return send();
  });
}

const repository = (client = store.client) =>
  new CandidateRepository(client, store.tableName, runtimeAt(store.now));
const reader = () => new CandidateReader(store.client, store.tableName, runtime);
const receive = (members: object, client = store.client) =>
  repository(client).receive(
    ACME,
    CandidateSubmission.parse(aSubmission({ externalId: "ext-1", ...members })),
  );
const sweep = () => new PartSweep(store.client, store.tableName).sweep(pk);

async function storedParts(): Promise<number> {
  const { Items = [] } = await store.client.send(
    new QueryCommand({
      TableName: store.tableName,
      KeyConditionExpression: "pk = :pk AND begins_with(sk, :part)",
      ExpressionAttributeValues: { ":pk": pk, ":part": "PART#" },
      ConsistentRead: true,
    }),
  );
  return Items.length;
}

test("a candidate and its parts are read with strong consistency right after a write", async () => {
  await receive({ documents });

  expect((await reader().find("acme", handle)).members.documents).toEqual(documents);
});

test("a creation or erasure is visible to deliveries at once", async () => {
  const lives = new CandidateLives(store.client, store.tableName, runtime);

  await receive({});
  const begun = await lives.find("acme", stagedId);
  await repository().change("acme", handle, transition("erase"));
  const ended = await lives.find("acme", stagedId);

  expect([begun?.isErased, ended?.isErased]).toEqual([false, true]);
});

test("a sweep keeps parts that a write has just referenced", async () => {
  await receive({});

  await repository(frozenBefore("Update RECORD")).amend("acme", handle, amendment, {});
  await sweep();

  expect((await reader().find("acme", handle)).members.documents).toEqual(documents);
});

test("a sweep removes a part that a terminated process has just stored", async () => {
  await receive({});

  await expect(
    repository(frozenBefore("Put PART", "Update RECORD")).amend("acme", handle, amendment, {}),
  ).rejects.toThrow("dead");
  const left = await storedParts();
  await sweep();

  expect([left, await storedParts()]).toEqual([1, 0]);
});
