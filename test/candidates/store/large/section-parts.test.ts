import { PutCommand, QueryCommand } from "@aws-sdk/lib-dynamodb";
import { beforeEach, describe, expect, test } from "vitest";
import { type Decision, transition } from "#candidates/change";
import { digestOf, parseHandle, stagedIdOf } from "#candidates/handles";
import { CandidateReader } from "#candidates/store/candidate-reader";
import { CandidateRepository } from "#candidates/store/candidate-repository";
import { candidateKey } from "#candidates/store/item/candidate-key";
import { PartSweep } from "#candidates/store/large/part-sweep";
import { CandidateAmendment, CandidateSubmission } from "#contract/candidate-submission";
import { runtime } from "#runtime/runtime";
import { capturedLogs } from "../../../builders/captured-logs.ts";
import { clientAround } from "../../../builders/client-around.ts";
import { ACME } from "../../../builders/organisation.ts";
import { runtimeAt } from "../../../builders/runtime.ts";
import { aSubmission, documentsOf } from "../../../builders/submission.ts";
import { SimulatedStore } from "../../../simulation/simulated-store.ts";

const logs = capturedLogs();

const ONE_PART = 400_000;
/** So much text takes two parts. */
const TWO_PARTS = 600_000;
/** Longer than a notice stands. */
const LONG_MS = 2 * 60 * 60 * 1_000;

const digest = digestOf(ACME, "ext-1");
const handle = parseHandle(stagedIdOf(digest));
const { pk } = candidateKey("acme", digest);

let store: SimulatedStore;
beforeEach(() => {
  store = new SimulatedStore();
  // A notice expires by the process's own clock.
  store.milliseconds = Date.now();
});

const repository = (client = store.client) =>
  new CandidateRepository(client, store.tableName, runtimeAt(store.now));
const receive = (members: object, client = store.client) =>
  repository(client).receive(
    ACME,
    CandidateSubmission.parse(aSubmission({ externalId: "ext-1", ...members })),
  );
const amend = (members: object, client = store.client) =>
  repository(client).amend("acme", handle, CandidateAmendment.parse(members), {});
const change = (decision: Decision, client = store.client) =>
  repository(client).change("acme", handle, decision);
const find = async () =>
  (await new CandidateReader(store.client, store.tableName, runtime).find("acme", handle)).members;

async function items(kind: "PART" | "RECORD" | "WRITE"): Promise<Record<string, unknown>[]> {
  const { Items = [] } = await store.client.send(
    new QueryCommand({
      TableName: store.tableName,
      KeyConditionExpression: "pk = :pk AND begins_with(sk, :kind)",
      ExpressionAttributeValues: { ":pk": pk, ":kind": kind },
      ConsistentRead: true,
    }),
  );
  return Items;
}
const stored = async (kind: "PART" | "RECORD" | "WRITE") => (await items(kind)).map(({ sk }) => sk);

/** Passes the time until every notice has expired, with the sweep that follows each. */
async function inTheEnd(): Promise<void> {
  store.pass(LONG_MS);
  if (store.table.removeExpired() > 0) await new PartSweep(store.client, store.tableName).sweep(pk);
}

describe("a part that cannot be stored", () => {
  const documents = documentsOf(TWO_PARTS);
  /** A client whose first part fails at once; the others are stored later. */
  const failing = () => {
    const state = { parts: 0, underWay: 0 };
    const client = clientAround(store.client, async ({ what }, send) => {
      if (what !== "Put PART") return send();
      if (++state.parts === 1) throw new Error("The part is refused.");
      state.underWay += 1;
      await new Promise((resolve) => setTimeout(resolve, 20));
      await send();
      state.underWay -= 1;
      return undefined;
    });
    return { client, state };
  };

  test("fails the create after all other part writes have ended, and no candidate is stored", async () => {
    const { client, state } = failing();

    await expect(receive({ documents }, client)).rejects.toThrow("The part is refused.");

    expect(state).toEqual({ parts: 2, underWay: 0 });
    expect(await stored("RECORD")).toEqual([]);
  });

  test("fails the amend and leaves the candidate unchanged", async () => {
    await receive({ headline: "Before" });

    await expect(amend({ documents, headline: "After" }, failing().client)).rejects.toThrow(
      "The part is refused.",
    );

    expect(await find()).toMatchObject({ headline: "Before" });
    expect(await find()).not.toHaveProperty("documents");
  });
});

test.each([
  ["is changed", (content: Uint8Array) => content.with(100, (content[100] ?? 0) ^ 1)],
  ["is cut short", (content: Uint8Array) => content.subarray(1)],
])("a candidate whose part %s in the table is not read", async (_what, damaged) => {
  await receive({ documents: documentsOf(TWO_PARTS) });
  const [part] = await items("PART");
  const content = damaged(part?.["content"] as Uint8Array);
  await store.client.send(new PutCommand({ TableName: store.tableName, Item: { ...part, content } }));

  await expect(find()).rejects.toThrow("The parts of a section differ from its hash.");
});

test.each(["Put PART", "Get PART", "Delete PART"])(
  "a throttled %s request is repeated until it succeeds",
  async (throttled) => {
    const documents = documentsOf(TWO_PARTS);
    const failures = new Map([[throttled, 1]]);
    const client = clientAround(store.client, async ({ what }, send) => {
      const left = failures.get(what) ?? 0;
      failures.set(what, left - 1);
      if (left > 0) throw Object.assign(new Error("Rate exceeded"), { name: "ThrottlingException" });
      return send();
    });

    await receive({ documents }, client);
    const reader = new CandidateReader(client, store.tableName, runtime);
    expect((await reader.find("acme", handle)).members.documents).toEqual(documents);
    await change(transition("erase"), client);

    expect(failures.get(throttled)).toBeLessThan(0);
    expect(await stored("PART")).toEqual([]);
  },
);

test.each([
  ["half as long as it may be", 0, [125, 250, 500, 1_000, 2_000]],
  ["three quarters of that", 0.5, [187.5, 375, 750, 1_500, 3_000]],
])(
  "a part that stays throttled is sent six times, with jitter making each wait %s",
  async (_what, random, waits) => {
    const throttled = Object.assign(new Error("Rate exceeded"), { name: "ThrottlingException" });
    const waited: number[] = [];
    let attempts = 0;
    const client = clientAround(store.client, async ({ what }, send) => {
      if (what !== "Put PART") return send();
      attempts += 1;
      throw throttled;
    });
    const sources = {
      ...runtimeAt(store.now),
      random: () => random,
      wait: async (ms: number) => void waited.push(ms),
    };
    const members = { externalId: "ext-1", documents: documentsOf(ONE_PART) };

    const receiving = new CandidateRepository(client, store.tableName, sources).receive(
      ACME,
      CandidateSubmission.parse(aSubmission(members)),
    );

    await expect(receiving).rejects.toBe(throttled);
    expect({ attempts, waited }).toEqual({ attempts: 6, waited: waits });
  },
);

test("a read of a part that stays throttled is given up after less than a second of waits", async () => {
  await receive({ documents: documentsOf(ONE_PART) });
  const throttled = Object.assign(new Error("Rate exceeded"), { name: "ThrottlingException" });
  const waited: number[] = [];
  const client = clientAround(store.client, async ({ what }, send) => {
    if (what === "Get PART") throw throttled;
    return send();
  });
  const sources = {
    ...runtimeAt(store.now),
    random: () => 1,
    wait: async (ms: number) => void waited.push(ms),
  };

  await expect(new CandidateReader(client, store.tableName, sources).find("acme", handle)).rejects.toBe(
    throttled,
  );

  expect(waited).toEqual([250, 500]);
});

test("a part write that hangs is abandoned in time for the caller to get a response", async () => {
  let attempts = 0;
  const client = clientAround(store.client, async ({ what }, send) => {
    if (what !== "Put PART") return send();
    attempts += 1;
    store.pass(6_000);
    throw Object.assign(new Error("The request timed out."), { name: "TimeoutError" });
  });
  const begunAt = store.milliseconds;

  await expect(receive({ documents: documentsOf(ONE_PART) }, client)).rejects.toThrow("timed out");

  expect(attempts).toBe(2);
  expect(store.milliseconds - begunAt).toBeLessThan(25_000);
});

describe("unreferenced parts that a write could not delete", () => {
  const withoutDeletes = () =>
    clientAround(store.client, async ({ what }, send) => {
      if (what.startsWith("Delete")) throw new Error("dead");
      return send();
    });

  test.each([
    ["an erasure", () => change(transition("erase"), withoutDeletes())],
    ["an amend that clears them", () => amend({ documents: [] }, withoutDeletes())],
  ])("are swept later, after %s", async (_what, write) => {
    await receive({ documents: documentsOf(TWO_PARTS) });
    await inTheEnd();

    await write();
    const left = await stored("PART");
    const notices = await stored("WRITE");
    await inTheEnd();

    expect(left).not.toEqual([]);
    expect(notices).toHaveLength(1);
    expect(await stored("PART")).toEqual([]);
    expect(JSON.parse(logs.text())).toMatchObject({
      level: "WARN",
      message: "parts not removed: the sweep removes them",
      cause: { message: "dead" },
    });
  });

  test("are looked for by one query in the sweep of a candidate without parts", async () => {
    await receive({});
    const sent: string[] = [];
    const client = clientAround(store.client, ({ what }, send) => {
      sent.push(what);
      return send();
    });

    await new PartSweep(client, store.tableName).sweep(pk);

    expect(sent).toHaveLength(1);
  });

  test("are not assumed after erasing a candidate without parts, which leaves no sweep notice", async () => {
    await receive({});

    await change(transition("erase"));

    expect(await stored("WRITE")).toEqual([]);
  });
});

describe("a large amend overtaken by another write", () => {
  const documents = documentsOf(TWO_PARTS);
  /** A client whose first update of the record comes after something else, and what it was asked. */
  const overtakenBy = (meanwhile: () => Promise<unknown>, dead = "") => {
    const sent: string[] = [];
    const client = clientAround(store.client, async ({ what }, send) => {
      if (what === dead) throw new Error("dead");
      if (what === "Update RECORD" && !sent.includes(what)) {
        sent.push(what);
        await meanwhile();
      } else sent.push(what);
      return send();
    });
    return { sent, client };
  };

  test("stores its parts once", async () => {
    await receive({});
    const { sent, client } = overtakenBy(() => {
      store.pass(1);
      return amend({ headline: "Meanwhile" });
    });

    await amend({ documents }, client);

    expect(sent.filter((request) => request === "Put PART")).toHaveLength(2);
    expect(sent.filter((request) => request === "Update RECORD")).toHaveLength(2);
    expect(await find()).toMatchObject({ documents, headline: "Meanwhile" });
  });

  test("of the platform stores its parts once", async () => {
    await receive({});
    const { sent, client } = overtakenBy(() => {
      store.pass(1);
      return amend({ headline: "Meanwhile" });
    });

    await change({ reads: [], decide: () => ({ lists: { documents } }) }, client);

    expect(sent.filter((request) => request === "Put PART")).toHaveLength(2);
    expect(await find()).toMatchObject({ documents, headline: "Meanwhile" });
  });

  test("is refused even if its parts cannot be deleted, and they are swept later", async () => {
    await receive({});
    const { client } = overtakenBy(() => change(transition("erase")), "Delete PART");

    await expect(amend({ documents }, client)).rejects.toMatchObject({ code: "not_found" });
    const left = await stored("PART");
    await inTheEnd();

    expect(left).toHaveLength(2);
    expect(await stored("PART")).toEqual([]);
    expect(JSON.parse(logs.text())).toMatchObject({
      level: "WARN",
      message: "parts not removed: the sweep removes them",
      cause: { message: "dead" },
    });
  });
});

test("a sweep notice lasts an hour, in which no part of its write is swept", async () => {
  const client = clientAround(store.client, async ({ what }, send) => {
    if (what === "Put RECORD") throw new Error("dead");
    return send();
  });
  await expect(receive({ documents: documentsOf(TWO_PARTS) }, client)).rejects.toThrow("dead");
  const sweep = () => new PartSweep(store.client, store.tableName).sweep(pk);

  store.pass(59 * 60_000);
  store.table.removeExpired();
  await sweep();
  const before = await stored("PART");
  store.pass(2 * 60_000);
  store.table.removeExpired();
  await sweep();

  expect(before).toHaveLength(2);
  expect(await stored("PART")).toEqual([]);
});
