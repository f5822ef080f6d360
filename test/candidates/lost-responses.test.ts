import type { DynamoDBDocumentClient } from "@aws-sdk/lib-dynamodb";
import { beforeEach, describe, expect, test } from "vitest";
import { transition, workReadinessScore } from "#candidates/change";
import { digestOf, parseHandle, stagedIdOf } from "#candidates/handles";
import { CandidateReader } from "#candidates/store/candidate-reader";
import { CandidateRepository } from "#candidates/store/candidate-repository";
import { candidateKey } from "#candidates/store/item/candidate-key";
import { getItem } from "#candidates/store/item/get-item";
import { CandidateSubmission } from "#contract/candidate-submission";
import { runtime } from "#runtime/runtime";
import { clientAround } from "../builders/client-around.ts";
import { ACME } from "../builders/organisation.ts";
import { runtimeAt } from "../builders/runtime.ts";
import { aSubmission } from "../builders/submission.ts";
import { SimulatedStore } from "../simulation/simulated-store.ts";

const handle = parseHandle(stagedIdOf(digestOf(ACME, "ext-1")));

let store: SimulatedStore;
let writes: number;
beforeEach(() => {
  store = new SimulatedStore();
  writes = 0;
});

/** The client that loses a response, counting the writes that are made. */
function losingAResponse(): DynamoDBDocumentClient {
  return clientAround(store.losingAResponse(), ({ name }, send) => {
    if (name !== "Get") writes += 1;
    return send();
  });
}

const repository = (client = store.client) =>
  new CandidateRepository(client, store.tableName, runtimeAt(store.now));
const receive = (client = store.client) =>
  repository(client).receive(ACME, CandidateSubmission.parse(aSubmission({ externalId: "ext-1" })));
const inspect = () => new CandidateReader(store.client, store.tableName, runtime).inspect("acme", handle);
const events = () => store.table.shards.reduce((count, shard) => count + shard.length, 0);

describe("a write with a lost response is done once and reported as the caller's own:", () => {
  test("a create", async () => {
    const { kind, response } = await receive(losingAResponse());

    expect(kind).toBe("created");
    expect(response.receivedAt).toBe(store.now().toISOString());
    expect([writes, events()]).toEqual([1, 1]);
  });

  test("a create in the place of a tombstone", async () => {
    await receive();
    await repository().change("acme", handle, transition("erase"));
    store.pass(1_000);

    const { kind } = await receive(losingAResponse());

    expect(kind).toBe("created");
    expect(writes).toBe(2);
    expect((await inspect()).state).toMatchObject({ status: "received", sequence: 3 });
  });

  test("an amend of the version that the caller read", async () => {
    const { response } = await receive();
    store.pass(1_000);

    const amended = await repository(losingAResponse()).amend(
      "acme",
      handle,
      { headline: "New" },
      { ifMatch: [response.receivedAt] },
    );

    expect(amended.members.headline).toBe("New");
    expect(amended.state.updatedAt).toBe(store.now().toISOString());
    expect(writes).toBe(1);
  });

  test.each([
    ["a transition", transition("promote"), { status: "promoted" }],
    ["an erasure", transition("erase"), { status: "erased" }],
    ["a score", workReadinessScore(12), { workReadinessScore: 12 }],
  ])("%s", async (_what, decision, state) => {
    await receive();
    store.pass(1_000);

    const outcome = await repository(losingAResponse()).change("acme", handle, decision);

    expect(outcome).toMatchObject({ kind: "changed", candidate: { state } });
    expect(writes).toBe(1);
  });
});

test("each write has its own writeId, so that no write is mistaken for another", async () => {
  await receive();
  const ids = new Set([(await writeIdOf()) ?? "none"]);
  for (const write of [
    () => repository().amend("acme", handle, { headline: "New" }, {}),
    () => repository().change("acme", handle, workReadinessScore(12)),
    () => repository().change("acme", handle, transition("promote")),
    () => repository().change("acme", handle, transition("erase")),
    () => receive(),
  ]) {
    store.pass(1_000);
    await write();
    ids.add((await writeIdOf()) ?? "none");
  }

  expect(ids.size).toBe(6);
  expect(ids).not.toContain("none");
});

async function writeIdOf(): Promise<string | undefined> {
  return (await getItem(store.client, store.tableName, candidateKey("acme", handle.digest)))?.writeId;
}
