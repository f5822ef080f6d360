import { DeleteCommand, paginateQuery, UpdateCommand } from "@aws-sdk/lib-dynamodb";
import { afterAll, beforeAll, beforeEach, describe, expect, inject, test } from "vitest";
import { assessment, documentRemoval, transition } from "#candidates/change";
import { canonicalIdOf, digestOf, parseHandle, stagedIdOf } from "#candidates/handles";
import { CandidateReader } from "#candidates/store/candidate-reader";
import { CandidateRepository } from "#candidates/store/candidate-repository";
import { candidateKey } from "#candidates/store/item/candidate-key";
import { ITEM_VERSION } from "#candidates/store/item/item-version";
import { PartSweep } from "#candidates/store/large/part-sweep";
import { CandidateAmendment, CandidateSubmission } from "#contract/candidate-submission";
import type { ServiceError } from "#contract/errors";
import { runtime } from "#runtime/runtime";
import { capturedLogs } from "../builders/captured-logs.ts";
import { clientAround, sentAgain } from "../builders/client-around.ts";
import { ACME } from "../builders/organisation.ts";
import { runtimeAt } from "../builders/runtime.ts";
import {
  type AmendmentBody,
  aHistoryOf,
  anExternalId,
  aSubmission,
  assessmentsAlike,
  documentsOf,
  noise,
} from "../builders/submission.ts";
import { SimulatedStore } from "../simulation/simulated-store.ts";
import { aStore, type Store } from "./candidate-store.ts";

capturedLogs();

const ORG = "acme";
/** So much text is too much for one item, and takes one part. */
const ONE_PART = 400_000;
const TWO_PARTS = 600_000;

let engine: Store;
beforeAll(async () => {
  engine = await aStore(inject("dynamoDbEndpoint"));
});
afterAll(() => engine?.close());

/** Simulated, which test/simulation/dynamodb.differential.test.ts compares with the engine, and many times faster. */
let store: Pick<Store, "client" | "tableName">;
beforeEach(() => {
  store = new SimulatedStore();
});

/** For tests of what the engine decides: what fits into items and responses, and which of several requests is first. */
function onEngine(): void {
  beforeEach(() => {
    store = engine;
  });
}

let externalId: string;
const digest = () => digestOf(ACME, externalId);
const pk = () => candidateKey(ORG, digest()).pk;
const handle = () => parseHandle(stagedIdOf(digest()));

beforeEach(() => {
  externalId = anExternalId();
});

let latest = 0;
/** A clock that no two readings share a millisecond of: an amend within that of the last one is sent twice. */
function now(): Date {
  latest = Math.max(latest + 1, Date.now());
  return new Date(latest);
}

/** A client that writes down what it asks for, as `Put PART#documents`; with `diesAt` so many things and no more. */
function aClient(diesAt = Number.POSITIVE_INFINITY) {
  const sent: string[] = [];
  const client = clientAround(store.client, async ({ name, sk }, send) => {
    if (sent.push(`${name} ${sk.split("#", sk.startsWith("PART#") ? 2 : 1).join("#")}`) > diesAt) {
      throw new Error("dead");
    }
    return send();
  });
  return { sent, candidates: new CandidateRepository(client, store.tableName, runtimeAt(now)) };
}

const receive = (members: object, candidates = aClient().candidates) =>
  candidates.receive(ACME, CandidateSubmission.parse(aSubmission({ externalId, ...members })));
const amend = (members: AmendmentBody, candidates = aClient().candidates) =>
  candidates.amend(ORG, handle(), CandidateAmendment.parse(members), {});
const erase = (candidates = aClient().candidates) => candidates.change(ORG, handle(), transition("erase"));
const find = async (client = store.client) =>
  (await new CandidateReader(client, store.tableName, runtime).find(ORG, handle())).members;
const inspect = () => new CandidateReader(store.client, store.tableName, runtime).inspect(ORG, handle());
const sweep = () => new PartSweep(store.client, store.tableName).sweep(pk());

/** Lets the notices of the candidate's writes expire, and each be followed by a sweep, as in the end they are. */
async function inTheEnd(): Promise<void> {
  for (const sk of (await stored()).filter((key) => key.startsWith("WRITE#"))) {
    await store.client.send(new DeleteCommand({ TableName: store.tableName, Key: { pk: pk(), sk } }));
    await sweep();
  }
}

/** The sort keys of everything that the table holds of the candidate. */
async function stored(): Promise<string[]> {
  const pages = paginateQuery(
    { client: store.client },
    {
      TableName: store.tableName,
      KeyConditionExpression: "pk = :pk",
      ExpressionAttributeValues: { ":pk": pk() },
      ConsistentRead: true,
    },
  );
  return (await Array.fromAsync(pages)).flatMap(({ Items = [] }) => Items.map(({ sk }) => String(sk)));
}
const storedParts = async () => (await stored()).filter((sk) => sk.startsWith("PART#"));
const sectionsIn = (parts: readonly string[]) => [...new Set(parts.map((sk) => sk.split("#")[1]))].sort();
const writesIn = (parts: readonly string[]) => new Set(parts.map((sk) => sk.split("#")[3])).size;

const assessmentsOf = (bytes: number) =>
  Array.from({ length: 50 }, (_, index) => ({
    externalId: `result-${index}`,
    provider: "partner" as const,
    name: "Reasoning",
    status: "completed" as const,
    competencies: Array.from({ length: bytes / 50 / 200 }, () => ({ code: "LOGIC", label: noise(200) })),
  }));

/** An assessment of 80 KB, for which documents of 320 KB leave no room in the item. */
function aLargeAssessment() {
  const [result] = assessmentsOf(4_000_000);
  if (!result) throw new Error("There is one.");
  return result;
}

/** A client whose removals can be made once more: as if each request had been sent twice, and one had taken long. */
function removingTwice() {
  const removals: (() => Promise<unknown>)[] = [];
  const client = clientAround(store.client, ({ name }, send) => {
    if (name === "Delete") removals.push(send);
    return send();
  });
  async function removeAgain(): Promise<void> {
    expect(removals).not.toEqual([]);
    for (const remove of removals) await remove();
  }
  return { client, removeAgain };
}

describe("an incompressible candidate of 3.9 MB", () => {
  onEngine();

  test("is read back whole, and its parts are stored before the item that references them", async () => {
    const documents = documentsOf(3_900_000);
    const { sent, candidates } = aClient();

    await receive({ documents }, candidates);

    expect((await find()).documents).toEqual(documents);
    expect(sent).toEqual([
      "Get RECORD",
      "Put WRITE",
      ...Array((await storedParts()).length).fill("Put PART#documents"),
      "Put RECORD",
    ]);
  });

  test("accepts amends up to the largest response, and stays unchanged by a larger one", async () => {
    const documents = documentsOf(3_900_000);
    const assessments = assessmentsAlike();
    await receive({ documents });
    const before = await stored();

    await expect(amend({ assessments })).rejects.toMatchObject({ code: "payload_too_large" });

    expect(await stored()).toEqual(before);
    await amend({ assessments: assessments.slice(0, 10) });
    const { documents: kept, assessments: taken } = await find();
    expect(kept).toEqual(documents);
    expect(taken).toHaveLength(10);
  });
});

test("reading a candidate that has lost a part fails with an internal error, not a temporary one", async () => {
  await receive({ documents: documentsOf(TWO_PARTS) });
  const [part = ""] = await storedParts();
  await store.client.send(new DeleteCommand({ TableName: store.tableName, Key: { pk: pk(), sk: part } }));

  await expect(find()).rejects.toThrow(
    `A part of ${stagedIdOf(digest())} is gone: restore it from a backup.`,
  );
});

test("a candidate that has lost a part can still change state and be erased", async () => {
  await receive({ assessments: assessmentsOf(ONE_PART) });
  for (const sk of await storedParts()) {
    await store.client.send(new DeleteCommand({ TableName: store.tableName, Key: { pk: pk(), sk } }));
  }

  const moved = await aClient().candidates.change(ORG, handle(), transition("promote"));
  await erase();

  expect(moved).toMatchObject({ kind: "changed", candidate: { state: { status: "promoted" } } });
  expect(await storedParts()).toEqual([]);
  await expect(find()).rejects.toMatchObject({ code: "not_found" });
});

test("sensitive documents are stored in separate parts that an integrator's read does not request", async () => {
  const passports = documentsOf(ONE_PART).map((each) => ({
    ...each,
    documentType: "identity_document" as const,
  }));
  await receive({ documents: [...passports, ...documentsOf(1_000)] });
  const read: string[] = [];
  const client = clientAround(store.client, async ({ name, sk }, send) => {
    if (name === "Get") read.push(sk);
    return send();
  });

  await find(client);
  await amend({ documents: documentsOf(2_000) });

  expect(read).toEqual(["RECORD"]);
  expect(sectionsIn(await storedParts())).toEqual(["documents_identity_document"]);
  expect((await inspect()).members.documents).toEqual(expect.arrayContaining(passports));
});

describe("a platform change of a candidate stored in parts", () => {
  test("adds an assessment and keeps the whole candidate", async () => {
    const members = { documents: documentsOf(ONE_PART), assessments: assessmentsOf(400_000) };
    const [one, other] = assessmentsOf(10_000);
    if (!one || !other) throw new Error("There are fifty.");
    const competencies = Array.from({ length: 2_000 }, () => ({ code: "LOGIC", label: noise(200) }));
    const large = { ...one, competencies };
    const assess = async (result: typeof one) =>
      (await aClient().candidates.change(ORG, handle(), assessment(structuredClone(result)))).kind;
    await receive(members);

    const outcomes = [await assess(large), await assess(large), await assess(other)];

    expect(outcomes).toEqual(["changed", "unchanged", "changed"]);
    expect(sectionsIn(await storedParts())).toEqual(["assessments", "documents", "platformAssessments"]);
    expect(await inspect()).toMatchObject({ members, platformAssessments: [large, other] });
  });

  test("fails its validation again; an integrator's read does not request the rejections", async () => {
    const fail = (count: number) => {
      const reasons = Array.from({ length: count }, () => ({ code: "code", message: noise(1_800) }));
      return aClient().candidates.change(ORG, handle(), transition("fail-validation", reasons));
    };
    await receive({ documents: documentsOf(110_000), workHistory: aHistoryOf(110_000) });
    await fail(50);
    await fail(49);
    const sections = sectionsIn(await storedParts());
    const read: string[] = [];

    await find(
      clientAround(store.client, async ({ sk }, send) => {
        read.push(sk);
        return send();
      }),
    );
    await fail(1);

    expect(sections).toEqual(["rejections"]);
    expect(read).toEqual(["RECORD"]);
    expect((await inspect()).rejections.map((each) => each.reasons.length)).toEqual([50, 49, 1]);
  });

  test("removes one document and keeps the others", async () => {
    const passports = documentsOf(ONE_PART).map((each) => ({
      ...each,
      documentType: "identity_document" as const,
    }));
    await receive({ documents: passports });
    const { updatedAt } = (await inspect()).state;

    const removal = documentRemoval({ documentType: "identity_document", number: 1, updatedAt });
    await aClient().candidates.change(ORG, handle(), removal);

    expect((await inspect()).members.documents).toEqual(passports.slice(1));
  });
});

test("reading a candidate whose parts keep being replaced fails with a temporary error", async () => {
  await receive({ documents: documentsOf(TWO_PARTS) });
  const [part = ""] = await storedParts();
  await store.client.send(new DeleteCommand({ TableName: store.tableName, Key: { pk: pk(), sk: part } }));
  let reads = 0;
  const client = clientAround(store.client, async ({ sk }, send) => {
    const output = (await send()) as { Item?: Record<string, unknown> };
    // As if another write had come before the last read.
    if (sk === "RECORD" && ++reads === 5) return { Item: { ...output.Item, updatedAt: "2099-01-01" } };
    return output;
  });

  await expect(find(client)).rejects.toMatchObject({ code: "service_unavailable" });
});

describe("an ordinary candidate", () => {
  onEngine();

  test("is created and amended with one request each", async () => {
    const { sent, candidates } = aClient();

    await receive({ documents: documentsOf(60_000) }, candidates);
    await amend({ workHistory: aHistoryOf(60_000) }, candidates);

    expect(sent).toEqual(["Put RECORD", "Update RECORD"]);
  });

  test("that amends make too large for one item is moved to parts, with every member", async () => {
    const members = {
      documents: documentsOf(320_000),
      workHistory: aHistoryOf(120_000),
      assessments: assessmentsOf(100_000),
      links: Array.from({ length: 20 }, () => ({ type: "other" as const, url: `https://${noise(2_000)}` })),
    };
    await receive({ documents: members.documents });
    await amend({ workHistory: members.workHistory });
    await amend({ links: members.links });
    const before = await storedParts();

    await amend({ assessments: members.assessments });

    expect(before).toEqual([]);
    expect(sectionsIn(await storedParts())).toEqual(["documents"]);
    expect(await find()).toMatchObject(members);
    await amend({ documents: [] });
    expect(await storedParts()).toEqual([]);
  });

  test("that assessments make too large for one item is moved to parts", async () => {
    const documents = documentsOf(320_000);
    const assessments = assessmentsOf(1_000_000).slice(0, 2);
    await receive({ documents });

    for (const result of assessments) {
      await aClient().candidates.change(ORG, handle(), assessment(result));
    }

    const read = await new CandidateReader(store.client, store.tableName, runtime).find(ORG, handle());
    expect(read).toMatchObject({ members: { documents }, platformAssessments: assessments });
    expect(sectionsIn(await storedParts())).toEqual(["documents"]);
  });
});

describe("an amend of a large candidate", () => {
  const members = { documents: documentsOf(ONE_PART), assessments: assessmentsOf(400_000) };

  test("rewrites only the section it names", async () => {
    await receive(members);
    const before = await storedParts();
    const documents = documentsOf(ONE_PART);
    const { sent, candidates } = aClient();

    await amend({ documents }, candidates);

    expect(sectionsIn(before)).toEqual(["assessments", "documents"]);
    expect(sent.filter((request) => !request.startsWith("Get"))).toEqual([
      "Put WRITE",
      "Put PART#documents",
      "Update RECORD",
      "Delete PART#documents",
    ]);
    expect(await storedParts()).toHaveLength(before.length);
    expect(await find()).toMatchObject({ ...members, documents });
  });

  test("writes no parts if the section is unchanged", async () => {
    await receive(members);
    const before = await stored();
    const { sent, candidates } = aClient();

    await amend({ ...members, headline: "The same" }, candidates);

    expect(sent.filter((request) => !request.startsWith("Get"))).toEqual(["Update RECORD"]);
    expect(await stored()).toEqual(before);
    expect(await find()).toMatchObject({ ...members, headline: "The same" });
  });

  test("of a small member leaves the sections unchanged", async () => {
    await receive(members);
    const before = await stored();

    const amended = await amend({ headline: "Analyst" });

    expect(amended.members).toMatchObject({ ...members, headline: "Analyst" });
    expect(await stored()).toEqual(before);
  });

  test("that makes it small removes its parts and stores it in one item", async () => {
    await receive(members);
    const { sent, candidates } = aClient();

    await amend({ documents: [], assessments: [] });
    await amend({ headline: "Small" }, candidates);

    expect(await storedParts()).toEqual([]);
    expect(sent).toEqual(["Update RECORD"]);
  });

  test("with If-Match of another version is refused and stores nothing", async () => {
    await receive(members);
    const before = await stored();

    const stale = aClient().candidates.amend(
      ORG,
      handle(),
      CandidateAmendment.parse({ documents: documentsOf(ONE_PART) }),
      { ifMatch: ["2026-01-01T00:00:00.000Z"] },
    );

    await expect(stale).rejects.toMatchObject({ code: "precondition_failed" });
    expect(await stored()).toEqual(before);
  });
});

test("a replay of a large create returns the first receipt and stores nothing", async () => {
  const documents = documentsOf(ONE_PART);
  await receive({ documents });
  const { sent, candidates } = aClient();

  const { kind } = await receive({ documents: documentsOf(ONE_PART) }, candidates);

  expect(kind).toBe("replayed");
  expect(sent).toEqual(["Get RECORD"]);
  expect((await find()).documents).toEqual(documents);
});

describe("an erasure of a large candidate", () => {
  onEngine();

  test("leaves a tombstone and no parts", async () => {
    await receive({ documents: documentsOf(TWO_PARTS) });

    await erase();

    expect(await storedParts()).toEqual([]);
    await expect(find()).rejects.toMatchObject({ code: "not_found" });
  });

  test("that races with large amends leaves no parts in the end", async () => {
    await receive({ documents: documentsOf(ONE_PART) });

    const outcomes = await Promise.allSettled([
      amend({ documents: documentsOf(ONE_PART) }),
      amend({ assessments: assessmentsOf(400_000) }),
      erase(),
    ]);
    await inTheEnd();

    expect(outcomes[2].status).toBe("fulfilled");
    expect(await stored()).toEqual(["RECORD"]);
  });

  test("allows a new candidate, whose parts a sweep of the erased one keeps", async () => {
    await receive({ documents: documentsOf(ONE_PART) });
    await erase();
    const documents = documentsOf(ONE_PART);

    await receive({ documents });
    await inTheEnd();

    expect((await find()).documents).toEqual(documents);
  });
});

describe("concurrent large writes", () => {
  onEngine();

  test("of one create store one whole candidate and, in the end, only its parts", async () => {
    const contents = Array.from({ length: 3 }, () => documentsOf(ONE_PART));

    const receipts = await Promise.all(contents.map((documents) => receive({ documents })));
    await inTheEnd();

    expect(receipts.filter(({ kind }) => kind === "created")).toHaveLength(1);
    expect(contents).toContainEqual((await find()).documents);
    expect(writesIn(await storedParts())).toBe(1);
  });

  test("to one section store one writer's content, and each read returns one writer's content", async () => {
    const contents = Array.from({ length: 9 }, () => documentsOf(ONE_PART));
    await receive({ documents: contents[0] });
    let writing = true;
    const seen: unknown[] = [];
    const meanwhile = (async () => {
      while (writing) {
        seen.push((await find()).documents);
        await sweep();
      }
    })();

    for (const round of [1, 4, 7]) {
      await Promise.all(contents.slice(round, round + 3).map((documents) => amend({ documents })));
    }
    writing = false;
    await meanwhile;
    await inTheEnd();

    expect(seen.length).toBeGreaterThan(0);
    for (const documents of seen) expect(contents).toContainEqual(documents);
    expect(contents.slice(7)).toContainEqual((await find()).documents);
    expect(writesIn(await storedParts())).toBe(1);
  });

  test("to different sections are all kept", async () => {
    await receive({});
    const members = {
      documents: documentsOf(400_000),
      assessments: assessmentsOf(400_000),
      workHistory: aHistoryOf(130_000),
      headline: "Analyst",
    };

    await Promise.all(Object.entries(members).map(([name, value]) => amend({ [name]: value })));

    expect(await find()).toMatchObject(members);
  });

  test("keep no reference that another writer has replaced in the meantime", async () => {
    const documents = documentsOf(ONE_PART);
    await receive({ documents });
    let raced = false;
    const client = clientAround(store.client, async ({ name, sk }, send) => {
      if (name === "Update" && sk === "RECORD" && !raced) {
        raced = true;
        await amend({ documents: documentsOf(ONE_PART) });
      }
      return send();
    });

    // By its clock, which is ahead, nobody wrote after it.
    const ahead = () => new Date(Date.now() + 60_000);
    await amend(
      { documents, headline: "Mine" },
      new CandidateRepository(client, store.tableName, runtimeAt(ahead)),
    );

    expect(await find()).toMatchObject({ documents, headline: "Mine" });
  });

  test("read the item again if it was replaced in the meantime", async () => {
    const [before, after] = [documentsOf(ONE_PART), documentsOf(ONE_PART)];
    await receive({ documents: before });
    let replaced = false;
    const client = clientAround(store.client, async ({ sk }, send) => {
      if (sk.startsWith("PART#") && !replaced) {
        replaced = true;
        await amend({ documents: after });
      }
      return send();
    });

    expect((await find(client)).documents).toEqual(after);
  });

  test("make an amend return nothing of a candidate created after the amended one was erased", async () => {
    const documents = documentsOf(ONE_PART);
    await receive({ documents });
    let replaced = false;
    const client = clientAround(store.client, async ({ name, sk }, send) => {
      if (name === "Get" && sk.startsWith("PART#") && !replaced) {
        replaced = true;
        await erase();
        await receive({ documents, firstName: "Next" });
      }
      return send();
    });

    const amending = amend({ headline: "Mine" }, new CandidateRepository(client, store.tableName, runtime));

    await expect(amending).rejects.toMatchObject({ code: "not_found" });
  });
});

describe("a refused large write leaves no parts", () => {
  const documents = documentsOf(ONE_PART);
  /** The repository whose first write of the record comes after something else. */
  const overtakenBy = (meanwhile: () => Promise<unknown>) => {
    let overtaken = false;
    const client = clientAround(store.client, async ({ name, sk }, send) => {
      if (sk === "RECORD" && name !== "Get" && !overtaken) {
        overtaken = true;
        await meanwhile();
      }
      return send();
    });
    return new CandidateRepository(client, store.tableName, runtime);
  };

  test("of an amend after the candidate was erased", async () => {
    await receive({});

    await expect(amend({ documents }, overtakenBy(erase))).rejects.toMatchObject({ code: "not_found" });

    expect(await storedParts()).toEqual([]);
  });

  test("of an assessment after consent was revoked", async () => {
    await receive({ documents: documentsOf(320_000) });

    await expect(
      overtakenBy(() => amend({ consentGiven: false })).change(ORG, handle(), assessment(aLargeAssessment())),
    ).rejects.toMatchObject({ code: "consent_revoked" });

    expect(await storedParts()).toEqual([]);
  });

  test("of a create that lost a race", async () => {
    const { kind } = await receive(
      { documents },
      overtakenBy(() => receive({})),
    );

    expect(kind).toBe("replayed");
    expect(await storedParts()).toEqual([]);
  });

  test("of an assessment by a canonical id that another life has not yet", async () => {
    await receive({ documents: documentsOf(320_000) });
    await aClient().candidates.change(ORG, handle(), transition("promote"));
    const nextLife = async () => {
      await erase();
      await receive({});
    };

    await expect(
      overtakenBy(nextLife).change(ORG, parseHandle(canonicalIdOf(digest())), assessment(aLargeAssessment())),
    ).rejects.toMatchObject({ code: "not_found" });

    expect(await storedParts()).toEqual([]);
  });

  test("of an assessment that every attempt loses to an amend", async () => {
    await receive({ documents: documentsOf(320_000) });
    const client = clientAround(store.client, ({ name, sk }, send) =>
      sk === "RECORD" && name !== "Get" ? amend({ headline: "Faster" }).then(send) : send(),
    );

    await expect(
      new CandidateRepository(client, store.tableName, runtime).change(
        ORG,
        handle(),
        assessment(aLargeAssessment()),
      ),
    ).rejects.toMatchObject({ code: "service_unavailable" });

    expect(await storedParts()).toEqual([]);
  });

  test("of a first attempt whose second one moves other documents out of the item", async () => {
    await receive({ documents: documentsOf(320_000) });
    const replacing = documentsOf(320_000);

    await overtakenBy(() => amend({ documents: replacing })).change(
      ORG,
      handle(),
      assessment(aLargeAssessment()),
    );

    const { documents } = await find();
    const parts = await storedParts();
    await inTheEnd();
    expect(documents).toEqual(replacing);
    expect(await storedParts()).toEqual(parts);
  });

  test("of an amend that no longer fits into a response after another one", async () => {
    await receive({});

    await expect(
      amend(
        { documents: documentsOf(3_900_000) },
        overtakenBy(() => amend({ assessments: assessmentsAlike() })),
      ),
    ).rejects.toMatchObject({ code: "payload_too_large" });

    expect(await storedParts()).toEqual([]);
  });

  test("of a create that every attempt loses to a candidate created and erased meanwhile", async () => {
    const client = clientAround(store.client, ({ name, sk }, send) =>
      sk === "RECORD" && name === "Put"
        ? receive({})
            .then(() => erase())
            .then(send)
        : send(),
    );

    await expect(
      receive({ documents }, new CandidateRepository(client, store.tableName, runtime)),
    ).rejects.toMatchObject({ code: "service_unavailable" });

    expect(await storedParts()).toEqual([]);
  });

  test("of a create whose first request was lost, before another was created and erased", async () => {
    // A clock that is ahead: creates of the same millisecond are taken for one.
    const now = () => new Date(Date.now() + 1_000);
    const other = new CandidateRepository(store.client, store.tableName, { ...runtime, now });
    const client = clientAround(store.client, ({ name, sk }, send) =>
      sk === "RECORD" && name !== "Get"
        ? receive({}, other)
            .then(() => erase())
            .then(() => sentAgain(send))
        : send(),
    );

    await expect(
      receive({ documents }, new CandidateRepository(client, store.tableName, runtime)),
    ).rejects.toMatchObject({ code: "service_unavailable" });

    expect(await storedParts()).toEqual([]);
  });
});

test("a large create that loses its first attempt to a candidate created and erased meanwhile keeps its parts", async () => {
  const documents = documentsOf(ONE_PART);
  let isOvertaken = false;
  const client = clientAround(store.client, async ({ name, sk }, send) => {
    if (sk !== "RECORD" || name !== "Put" || isOvertaken) return send();
    isOvertaken = true;
    await receive({});
    await erase();
    return send();
  });

  const { kind } = await receive({ documents }, new CandidateRepository(client, store.tableName, runtime));

  expect(kind).toBe("created");
  expect((await find()).documents).toEqual(documents);
});

test("a write stores documents again under other keys than those that it removed when they were replaced", async () => {
  const [before, between] = [documentsOf(320_000), documentsOf(320_000)];
  await receive({ documents: before });
  const replacing = [between, before];
  const { client: removing, removeAgain } = removingTwice();
  const client = clientAround(removing, async ({ name, sk }, send) => {
    const documents = sk === "RECORD" && name === "Update" && replacing.shift();
    if (documents) await amend({ documents });
    return send();
  });

  await new CandidateRepository(client, store.tableName, runtime).change(
    ORG,
    handle(),
    assessment(aLargeAssessment()),
  );
  await removeAgain();

  expect((await find()).documents).toEqual(before);
});

describe("a large write with a lost response that was overtaken", () => {
  const documents = documentsOf(ONE_PART);
  /** As the SDK repeats the first write of the record, once something else has happened. */
  const repeatedAfter = (meanwhile: () => Promise<unknown>) => {
    let repeated = false;
    const client = clientAround(store.client, async ({ name, sk }, send) => {
      const output = await send();
      if (sk !== "RECORD" || name === "Get" || repeated) return output;
      repeated = true;
      await meanwhile();
      return sentAgain(send);
    });
    return new CandidateRepository(client, store.tableName, runtime);
  };
  const verify = () => aClient().candidates.change(ORG, handle(), transition("verify"));
  const revoke = () => aClient().candidates.change(ORG, handle(), transition("revoke-consent"));
  const updatedAt = async () => (await aClient().candidates.amend(ORG, handle(), {}, {})).state.updatedAt;

  test("keeps the parts of a create", async () => {
    await receive({ documents }, repeatedAfter(verify));

    expect((await find()).documents).toEqual(documents);
  });

  test("keeps the parts of an amend with If-Match of a version since replaced", async () => {
    await receive({});
    const ifMatch = [await updatedAt()];

    await expect(
      repeatedAfter(() => amend({ headline: "x" })).amend(
        ORG,
        handle(),
        CandidateAmendment.parse({ documents }),
        { ifMatch },
      ),
    ).rejects.toMatchObject({ code: "service_unavailable" });

    expect((await find()).documents).toEqual(documents);
  });

  test("keeps the parts of an amend of a candidate frozen in the meantime", async () => {
    await receive({});

    await expect(amend({ documents }, repeatedAfter(revoke))).rejects.toMatchObject({
      code: "consent_revoked",
    });

    expect((await amend({ consentGiven: true })).members.documents).toEqual(documents);
  });

  test("keeps the parts of documents that an assessment moved out of the item", async () => {
    await receive({ documents: documentsOf(320_000) });
    const before = await find();

    await repeatedAfter(() => amend({ headline: "x" })).change(ORG, handle(), assessment(aLargeAssessment()));

    expect(await find()).toEqual({ ...before, headline: "x" });
  });

  test("stores the section of an amend again, under other keys, if it was replaced", async () => {
    await receive({});
    const { client, removeAgain } = removingTwice();
    const other = new CandidateRepository(client, store.tableName, runtime);

    await amend(
      { documents },
      repeatedAfter(() => amend({ documents: documentsOf(ONE_PART) }, other)),
    );
    await removeAgain();

    expect((await find()).documents).toEqual(documents);
  });

  test("does not restore consent that was revoked in the meantime", async () => {
    await receive({});

    await expect(amend({ consentGiven: true, headline: "x" }, repeatedAfter(revoke))).rejects.toMatchObject({
      code: "consent_revoked",
    });
    await expect(find()).rejects.toMatchObject({ code: "consent_revoked" });
  });

  test.each<[string, object, (other: CandidateRepository) => Promise<unknown>]>([
    ["an amend", {}, (other) => amend({ documents }, other)],
    [
      "an assessment",
      { documents: documentsOf(320_000) },
      (other) => other.change(ORG, handle(), assessment(aLargeAssessment())),
    ],
  ])("keeps the parts of %s whose item newer code has written since", async (_what, before, write) => {
    await receive(before);
    let parts: unknown[] = [];
    const other = repeatedAfter(async () => {
      await writeInNewerForm();
      parts = await storedParts();
    });

    await expect(write(other)).rejects.toThrow(/version/);

    expect(parts).not.toEqual([]);
    expect(await storedParts()).toEqual(parts);
  });

  test("removes the parts if it is an erasure", async () => {
    await receive({ documents });

    await erase(repeatedAfter(async () => {}));

    expect(await storedParts()).toEqual([]);
  });
});

test("a sweep keeps the parts of a write until the write's notice has expired", async () => {
  // Dies with one of two parts stored.
  await expect(receive({ documents: documentsOf(TWO_PARTS) }, aClient(3).candidates)).rejects.toThrow("dead");

  await sweep();
  const before = await storedParts();
  await inTheEnd();

  expect(before).not.toEqual([]);
  expect(await stored()).toEqual([]);
});

/** Newer code may reference the parts of an item in another form. */
async function writeInNewerForm(): Promise<void> {
  await store.client.send(
    new UpdateCommand({
      TableName: store.tableName,
      Key: candidateKey(ORG, digest()),
      UpdateExpression:
        "SET itemVersion = :newer, documents = :another, updatedAt = :later, writeId = :other",
      ExpressionAttributeValues: {
        ":newer": ITEM_VERSION + 1,
        ":another": "a reference in another form",
        ":later": new Date(Date.now() + 1_000).toISOString(),
        ":other": "another write",
      },
    }),
  );
}

test("a sweep keeps the parts of an item whose version is newer than this code", async () => {
  await receive({ documents: documentsOf(ONE_PART) });
  await writeInNewerForm();
  const before = await storedParts();

  await expect(inTheEnd()).rejects.toThrow(/version/);

  expect(before).not.toEqual([]);
  expect(await storedParts()).toEqual(before);
});

describe("a process that terminates at any step", () => {
  const before = { documents: documentsOf(ONE_PART), headline: "Before" };
  const after = { documents: documentsOf(TWO_PARTS), headline: "After" };
  type Candidates = ReturnType<typeof aClient>["candidates"];
  const writes: Record<string, (candidates: Candidates) => Promise<unknown>> = {
    create: (candidates) => receive(after, candidates),
    amend: (candidates) => amend(after, candidates),
    "amend that makes it small": (candidates) => amend({ documents: [] }, candidates),
    erasure: (candidates) => erase(candidates),
  };

  test.each(Object.entries(writes))(
    "of %s leaves a whole candidate and, in the end, no unreferenced part",
    async (name, write) => {
      const whole = aClient();
      await prepare(name);
      const outcomes = [await outcome()];
      await write(whole.candidates);
      outcomes.push(await outcome());

      // What follows the last write only reads.
      const steps = whole.sent.findLastIndex((request) => !request.startsWith("Get")) + 1;
      for (let step = 0; step < steps; step++) {
        externalId = anExternalId();
        await prepare(name);

        await Promise.allSettled([write(aClient(step).candidates)]);
        const left = await outcome();
        await inTheEnd();

        const at = `before ${whole.sent[step]}`;
        expect(outcomes, at).toContainEqual(left);
        expect(await outcome(), at).toEqual(left);
        expect(writesIn(await storedParts()), at).toBe(left.documents ? 1 : 0);
      }
    },
  );

  async function prepare(name: string): Promise<void> {
    if (name === "create") return;
    await receive(before);
    // Otherwise the notice of this create leads to a sweep, which removes what the write under test leaves.
    await inTheEnd();
  }

  /** What a reader finds, or is told. */
  async function outcome(): Promise<{ documents?: unknown; headline?: unknown; code?: unknown }> {
    try {
      const { documents, headline } = await find();
      return { documents, headline };
    } catch (error) {
      return { code: (error as ServiceError).code };
    }
  }
});
