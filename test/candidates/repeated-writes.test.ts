import type { DynamoDBDocumentClient } from "@aws-sdk/lib-dynamodb";
import { beforeEach, describe, expect, test } from "vitest";
import type { PlatformAssessment } from "#candidates/candidate-commands";
import { assessment, type Decision, documentRemoval, transition } from "#candidates/change";
import { handleOf } from "#candidates/handles";
import { CandidateReader } from "#candidates/store/candidate-reader";
import { CandidateRepository } from "#candidates/store/candidate-repository";
import { RECORD } from "#candidates/store/item/candidate-key";
import { CandidateAmendment, CandidateSubmission } from "#contract/candidate-submission";
import { runtime } from "#runtime/runtime";
import { clientAround, sentAgain } from "../builders/client-around.ts";
import { ACME } from "../builders/organisation.ts";
import { runtimeAt } from "../builders/runtime.ts";
import { aFullSubmission, aHistoryOf, assessmentsAlike, documentsOf } from "../builders/submission.ts";
import { SimulatedStore } from "../simulation/simulated-store.ts";

const handle = handleOf(ACME, "ext-1");
const submission = CandidateSubmission.parse(aFullSubmission({ externalId: "ext-1" }));

const RESULT: PlatformAssessment = {
  externalId: "r1",
  provider: "proctor",
  name: "Result",
  status: "completed",
  competencies: [],
};

let store: SimulatedStore;
beforeEach(() => {
  store = new SimulatedStore();
});

/**
 * A repository whose first write of a record the SDK repeats after `meanwhile`: its response was lost, or it never
 * arrived.
 */
function repository(meanwhile?: () => Promise<unknown>, arrives = true): CandidateRepository {
  return repositoryWith(repeating(meanwhile, arrives));
}

function repeating(meanwhile?: () => Promise<unknown>, arrives = true): DynamoDBDocumentClient {
  let isLost = meanwhile === undefined;
  return clientAround(store.client, async ({ name, sk }, send) => {
    if (isLost || name === "Get" || sk !== RECORD) return send();
    isLost = true;
    if (arrives) await send();
    store.pass(2_000);
    await meanwhile?.();
    return sentAgain(send);
  });
}

const repositoryWith = (client: DynamoDBDocumentClient) =>
  new CandidateRepository(client, store.tableName, runtimeAt(store.now));

const change = (decision: Decision, candidates = repository()) => candidates.change("acme", handle, decision);
const rejected = transition("fail-validation", [{ code: "photo", message: "The photo is missing." }]);
const state = async () => (await change({ reads: [], decide: () => undefined })).candidate.state;

test("a repeated create followed by another write is not taken for a replay of an earlier create", async () => {
  const { kind } = await repository(() => change(transition("verify"))).receive(ACME, submission);

  expect(kind).toBe("created");
});

test("a repeated create does not restore a candidate created again and erased in the meantime", async () => {
  const erased = () => change(transition("erase"));

  const creating = repository(async () => {
    await erased();
    store.pass(1);
    await repository().receive(ACME, submission);
    await erased();
  }).receive(ACME, submission);

  await expect(creating).rejects.toMatchObject({ code: "service_unavailable" });
  expect(await state()).toMatchObject({ status: "erased", sequence: 4 });
});

test("a create on a tombstone whose first request never arrived creates the candidate anew", async () => {
  await repository().receive(ACME, submission);
  await change(transition("erase"));
  // The create's time is the tombstone's.
  store.pass(1);

  const { kind } = await repository(async () => {}, false).receive(ACME, submission);

  expect(kind).toBe("created");
  expect(await state()).toMatchObject({ status: "received", sequence: 3, firstSequence: 3 });
});

test("a create with parts whose first request did not arrive replaces a tombstone that has come meanwhile", async () => {
  const large = { ...submission, documents: documentsOf(400_000) };
  const createdAndErased = async () => {
    store.pass(-3_000);
    await repository().receive(ACME, submission);
    await change(transition("erase"));
  };

  const creating = repository(createdAndErased, false).receive(ACME, large);

  await expect(creating).resolves.toMatchObject({ kind: "created" });
  const reader = new CandidateReader(store.client, store.tableName, runtime);
  expect((await reader.find("acme", handle)).members.documents).toEqual(
    CandidateSubmission.parse(large).documents,
  );
});

test("a create that lost a race to another create is a replay", async () => {
  const first = await repository().receive(ACME, submission);

  const { kind, response } = await repository(async () => {}).receive(ACME, submission);

  expect({ kind, response }).toEqual({ kind: "replayed", response: first.response });
});

test("a repeated transition is not done again after a later transition", async () => {
  await repository().receive(ACME, submission);

  const verifying = change(
    transition("verify"),
    repository(() => change(rejected)),
  );

  await expect(verifying).rejects.toMatchObject({ code: "service_unavailable" });
  expect(await state()).toMatchObject({ status: "validation_failed", sequence: 3 });
});

test("a repeated transition is not refused because of a later write", async () => {
  await repository().receive(ACME, submission);

  const promoting = change(
    transition("promote"),
    repository(() => change(transition("revoke-consent"))),
  );

  await expect(promoting).rejects.toMatchObject({ code: "service_unavailable" });
});

test("a repeated document removal is not refused because of a later write", async () => {
  await repository().receive(ACME, submission);
  const { updatedAt } = await state();
  const removing = change(
    documentRemoval({ documentType: "cv", number: 1, updatedAt }),
    repository(() => change(assessment(RESULT))),
  );

  await expect(removing).rejects.toMatchObject({ code: "service_unavailable" });
});

test("a repeated amend with If-Match is not refused because of a later write", async () => {
  const { response } = await repository().receive(ACME, submission);
  store.pass(1);

  const amending = repository(() => change(transition("verify"))).amend(
    "acme",
    handle,
    { headline: "Mine" },
    { ifMatch: [response.receivedAt] },
  );

  await expect(amending).rejects.toMatchObject({
    code: "service_unavailable",
    cause: { code: "precondition_failed" },
  });
});

test("a repeated amend is not refused as too large because of a later write", async () => {
  await repository().receive(ACME, submission);
  const other = { documents: [], assessments: assessmentsAlike() };

  const amending = repository(() => repository().amend("acme", handle, other, {})).amend(
    "acme",
    handle,
    { headline: "Mine", documents: documentsOf(3_900_000) },
    {},
  );

  await expect(amending).rejects.toMatchObject({
    code: "service_unavailable",
    cause: { code: "payload_too_large" },
  });
});

test("a transition whose first request never arrived is decided on the current state", async () => {
  await repository().receive(ACME, submission);
  const score: Decision = { reads: [], decide: () => ({ workReadinessScore: 7 }) };

  const { kind } = await change(
    transition("verify"),
    repository(() => change(score), false),
  );

  expect(kind).toBe("changed");
  expect(await state()).toMatchObject({ status: "verified", sequence: 2, workReadinessScore: 7 });
});

test("a repeated withdrawal of consent does not withdraw consent given again in the meantime", async () => {
  await repository().receive(ACME, submission);
  store.pass(1);

  const withdrawing = repository(() => repository().amend("acme", handle, { consentGiven: true }, {})).amend(
    "acme",
    handle,
    { consentGiven: false },
    {},
  );

  await expect(withdrawing).rejects.toMatchObject({ code: "service_unavailable" });
  expect(await state()).toMatchObject({ status: "received", sequence: 3 });
});

test("an amend whose first request never arrived is refused if its If-Match is outdated", async () => {
  await repository().receive(ACME, submission);
  store.pass(1);

  const amending = repository(async () => {}, false).amend(
    "acme",
    handle,
    { headline: "Mine" },
    { ifMatch: ["2020-01-01T00:00:00.000Z"] },
  );

  await expect(amending).rejects.toMatchObject({ code: "precondition_failed" });
});

test("an amend that never arrived is refused for its If-Match even after a write in the same millisecond", async () => {
  const { response } = await repository().receive(ACME, submission);
  store.pass(1);
  const meanwhile = () => {
    store.pass(-2_000);
    return change(transition("verify"));
  };

  const amending = repository(meanwhile, false).amend(
    "acme",
    handle,
    { headline: "Mine" },
    { ifMatch: [response.receivedAt] },
  );

  await expect(amending).rejects.toMatchObject({ code: "precondition_failed" });
});

test("an amend of an unknown candidate is not found, however often it is sent", async () => {
  const amending = repository(async () => {}, false).amend("acme", handle, { headline: "Mine" }, {});

  await expect(amending).rejects.toMatchObject({ code: "not_found" });
});

test("a repeated change stores its parts again if they were replaced in the meantime", async () => {
  const large = { ...submission, documents: documentsOf(400_000) };
  const lists = { documents: documentsOf(400_000) };
  const replaced: Decision = { reads: [], decide: () => ({ lists }) };
  await repository().receive(ACME, large);
  store.pass(1);

  const changing = change(
    replaced,
    repository(() => repository().amend("acme", handle, { documents: documentsOf(400_000) }, {})),
  );

  await expect(changing).resolves.toMatchObject({ kind: "changed" });
  const reader = new CandidateReader(store.client, store.tableName, runtime);
  expect((await reader.find("acme", handle)).members.documents).toEqual(lists.documents);
});

test("an erasure whose first request never arrived is done after any other transition", async () => {
  await repository().receive(ACME, submission);

  const { kind } = await change(
    transition("erase"),
    repository(() => change(transition("verify")), false),
  );

  expect(kind).toBe("changed");
  expect(await state()).toMatchObject({ status: "erased", sequence: 3 });
});

test("a repeated amend of an erased candidate does not change the one created after it", async () => {
  await repository().receive(ACME, submission);
  store.pass(1);

  const amending = repository(async () => {
    await change(transition("erase"));
    store.pass(1);
    await repository().receive(ACME, submission);
  }).amend("acme", handle, { headline: "Of the life before" }, {});

  await expect(amending).rejects.toMatchObject({ code: "service_unavailable" });
  expect(await state()).toMatchObject({ status: "received", sequence: 3 });
});

test("an amend's repeated request does not restore consent that was withdrawn after it", async () => {
  await repository().receive(ACME, submission);
  store.pass(1);
  let writes = 0;
  const client = clientAround(store.client, async ({ name }, send) => {
    if (name === "Get") return send();
    writes += 1;
    if (writes === 2) await change(transition("revoke-consent"));
    if (writes > 1) return send();
    await send();
    store.pass(2_000);
    await change(assessment(RESULT));
    return sentAgain(send);
  });
  const candidates = new CandidateRepository(client, store.tableName, runtimeAt(store.now));

  const amending = candidates.amend("acme", handle, { consentGiven: true, headline: "Mine" }, {});

  await expect(amending).rejects.toMatchObject({ code: "consent_revoked" });
  expect(await state()).toMatchObject({ status: "consent_revoked", sequence: 2 });
});

describe("a repeated amend for which another one has left no room in the item", () => {
  /** The amend. Something else happens before it reads what has to become a large candidate. */
  async function amending(meanwhile: () => Promise<unknown>): Promise<unknown> {
    const passports = documentsOf(330_000).map((each) => ({ ...each, documentType: "identity_document" }));
    const roomForOne = CandidateSubmission.parse({ ...submission, documents: passports });
    await repository().receive(ACME, roomForOne);
    store.pass(1);
    const another = CandidateAmendment.parse({ documents: documentsOf(110_000) });
    const client = clientAround(
      repeating(() => repository().amend("acme", handle, another, {}), false),
      async ({ name }, send) => {
        if (name === "Get") await meanwhile();
        return send();
      },
    );
    const amendment = CandidateAmendment.parse({ consentGiven: true, workHistory: aHistoryOf(120_000) });
    return repositoryWith(client).amend("acme", handle, amendment, {});
  }

  test("does not restore consent that was withdrawn after it", async () => {
    const amended = amending(() => change(transition("revoke-consent")));

    await expect(amended).rejects.toMatchObject({ code: "consent_revoked" });
    expect(await state()).toMatchObject({ status: "consent_revoked", sequence: 2 });
  });

  test("does not change the next life", async () => {
    const amended = amending(async () => {
      await change(transition("erase"));
      store.pass(1);
      await repository().receive(ACME, submission);
    });

    await expect(amended).rejects.toMatchObject({ code: "service_unavailable" });
    const { receivedAt, updatedAt } = await state();
    expect(updatedAt).toBe(receivedAt);
  });
});
