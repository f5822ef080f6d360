import { DynamoDBServiceException } from "@aws-sdk/client-dynamodb";
import { beforeEach, describe, expect, test } from "vitest";
import { documentRemoval, transition, workReadinessScore } from "#candidates/change";
import { canonicalIdOf, digestOf, parseHandle, stagedIdOf } from "#candidates/handles";
import { CandidateReader } from "#candidates/store/candidate-reader";
import { CandidateRepository } from "#candidates/store/candidate-repository";
import { packMembers } from "#candidates/store/item/candidate-item";
import { TOMBSTONE_DAYS } from "#candidates/store/write/tombstone";
import { CandidateAmendment, CandidateSubmission } from "#contract/candidate-submission";
import { runtime } from "#runtime/runtime";
import { capturedLogs } from "../../builders/captured-logs.ts";
import { clientAround } from "../../builders/client-around.ts";
import { ACME } from "../../builders/organisation.ts";
import { runtimeAt } from "../../builders/runtime.ts";
import {
  aDocument,
  aSubmission,
  documentsOf,
  noise,
  type SubmissionBody,
} from "../../builders/submission.ts";
import { SimulatedStore } from "../../simulation/simulated-store.ts";

const logs = capturedLogs();

const stagedId = stagedIdOf(digestOf(ACME, "ext-1"));
const handle = parseHandle(stagedId);

let store: SimulatedStore;
beforeEach(() => {
  store = new SimulatedStore();
});

const repository = (client = store.client) =>
  new CandidateRepository(client, store.tableName, runtimeAt(store.now));
const reader = () => new CandidateReader(store.client, store.tableName, runtime);
const submission = (members: Partial<SubmissionBody> = {}) =>
  CandidateSubmission.parse(aSubmission({ externalId: "ext-1", ...members }));
const receive = () => repository().receive(ACME, submission());

test("a create and its replay have the same receipt", async () => {
  const response = {
    stagedId,
    externalId: "ext-1",
    status: "received",
    receivedAt: store.now().toISOString(),
  };

  expect(await receive()).toEqual({ kind: "created", response });
  store.pass(1_000);
  expect(await receive()).toEqual({ kind: "replayed", response });
});

test("an empty amend is refused if If-Match does not match the record's version", async () => {
  const { response } = await receive();
  const amendNothing = (version: string) => repository().amend("acme", handle, {}, { ifMatch: [version] });

  await expect(amendNothing("2020-01-01T00:00:00.000Z")).rejects.toMatchObject({
    code: "precondition_failed",
  });
  expect((await amendNothing(response.receivedAt)).state.updatedAt).toBe(response.receivedAt);
});

test("an amend is done if If-Match lists the record's version", async () => {
  const { response } = await receive();
  const ifMatch = ["2020-01-01T00:00:00.000Z", response.receivedAt, "2021-01-01T00:00:00.000Z"];
  store.pass(1);

  const { members } = await repository().amend("acme", handle, { headline: "New" }, { ifMatch });

  expect(members.headline).toBe("New");
});

test("an amend by the canonical id finds no candidate before promotion", async () => {
  await receive();
  const canonical = parseHandle(canonicalIdOf(handle.digest));
  const amend = () => repository().amend("acme", canonical, { headline: "New" }, {});
  store.pass(1);

  await expect(amend()).rejects.toMatchObject({ code: "not_found" });
  expect((await reader().find("acme", handle)).members).not.toHaveProperty("headline");
  await repository().change("acme", handle, transition("promote"));
  store.pass(1);
  expect((await amend()).members.headline).toBe("New");
});

const erase = () => repository().change("acme", handle, transition("erase"));

test.each<[string, (racing: CandidateRepository) => Promise<unknown>, () => Promise<unknown>]>([
  [
    "a create",
    (racing) => racing.receive(ACME, submission()),
    async () => {
      await receive();
      await erase();
    },
  ],
  ["an amend", (racing) => racing.amend("acme", handle, { headline: "Mine" }, {}), anotherAmend],
  ["a change", (racing) => racing.change("acme", handle, workReadinessScore(12)), anotherAmend],
])("%s that loses twenty races fails with a temporary error", async (_what, write, race) => {
  await receive();
  if (race !== anotherAmend) await erase();
  let races = 0;
  const client = clientAround(store.client, async ({ name }, send) => {
    if (name !== "Get") {
      races += 1;
      store.pass(1);
      await race();
    }
    return send();
  });

  await expect(write(repository(client))).rejects.toMatchObject({ code: "service_unavailable" });
  expect(races).toBe(20);
});

function anotherAmend(): Promise<unknown> {
  return repository().amend("acme", handle, { headline: `Another's, of ${store.milliseconds}` }, {});
}

test.each([1, 2])(
  "a create on a tombstone that expires meanwhile starts at sequence 1 (sent %i times)",
  async (attempts) => {
    await receive();
    await erase();
    store.pass(1_000);
    const client = clientAround(store.client, (_asked, send) =>
      send().catch((error) => {
        store.pass((TOMBSTONE_DAYS + 1) * 24 * 60 * 60 * 1_000);
        store.table.removeExpired();
        error.$metadata = { attempts };
        throw error;
      }),
    );

    expect(await repository(client).receive(ACME, submission())).toMatchObject({ kind: "created" });
    expect((await reader().find("acme", handle)).state).toMatchObject({ sequence: 1, firstSequence: 1 });
  },
);

describe("the largest write done without reading the item first", () => {
  const ORDINARY_BYTES = 128 * 1024;
  const documents = documentsOf(124_000);
  const jsonBytes = (members: object) => packMembers(CandidateAmendment.parse(members)).jsonBytes;
  /** Members whose JSON has so many bytes. */
  const membersOf = (bytes: number) => {
    const summary = noise(bytes - jsonBytes({ documents }) - '""'.length);
    return { documents, summary };
  };

  test.each([
    [ORDINARY_BYTES, ["Update"]],
    [ORDINARY_BYTES + 1, ["Get", "Update"]],
  ])("for an amend of %i bytes: the requests are %j", async (bytes, requests) => {
    const members = membersOf(bytes);
    await receive();
    store.pass(1);
    const sent: string[] = [];

    await repository(recording(sent)).amend("acme", handle, CandidateAmendment.parse(members), {});

    expect(jsonBytes(members)).toBe(bytes);
    expect(sent).toEqual(requests);
  });

  test.each([
    [ORDINARY_BYTES, ["Put"]],
    [ORDINARY_BYTES + 1, ["Get", "Put"]],
  ])("for a create of %i bytes: the requests are %j", async (bytes, requests) => {
    const least = packMembers(submission()).jsonBytes;
    const whole = submission(membersOf(bytes - least));
    const sent: string[] = [];

    await repository(recording(sent)).receive(ACME, whole);

    expect(packMembers(whole).jsonBytes).toBe(bytes);
    expect(sent).toEqual(requests);
  });

  function recording(sent: string[]) {
    return clientAround(store.client, ({ name }, send) => {
      sent.push(name);
      return send();
    });
  }
});

test("an amend that leaves no room in a response for the platform's data is refused", async () => {
  const uploadedAt = "2026-01-01T00:00:00Z";
  const url = `https://${"x".repeat(2_040)}`;
  const versions = Array.from({ length: 50 }, (_, index) => ({ version: index + 1, url, uploadedAt }));
  const documents = Array(48).fill(aDocument({ versions }));
  // In a response each quotation mark takes four bytes: 86 KB in all.
  const competencies = Array(100).fill({ code: "LOGIC", label: '"'.repeat(200) });
  const assessmentsOf = (count: number) =>
    Array(count).fill({ name: "Reasoning", status: "completed" as const, competencies });
  const amend = (count: number) => {
    store.pass(1);
    const amendment = CandidateAmendment.parse({ assessments: assessmentsOf(count) });
    return repository().amend("acme", handle, amendment, {});
  };
  await repository().receive(ACME, submission({ documents }));

  expect((await amend(2)).members.assessments).toHaveLength(2);
  await expect(amend(5)).rejects.toMatchObject({
    code: "payload_too_large",
    message: "The record would take up more than 5.4 MB of a response. Send less data.",
  });
});

describe("an amend that fails with a DynamoDB error", () => {
  const validation = (message: string) =>
    new DynamoDBServiceException({ name: "ValidationException", $fault: "client", message, $metadata: {} });
  const TOO_LARGE = validation("Item size to update has exceeded the maximum allowed size");
  /** A repository whose first update fails, and what it asks for. */
  const failing = (error: Error) => {
    const sent: string[] = [];
    const client = clientAround(store.client, async ({ name }, send) => {
      sent.push(name);
      if (name === "Update" && sent.filter((each) => each === name).length === 1) throw error;
      return send();
    });
    return { sent, amend: () => repository(client).amend("acme", handle, { headline: "New" }, {}) };
  };

  test.each([
    validation("The expression is no expression"),
    new DynamoDBServiceException({
      name: "LimitExceededException",
      $fault: "client",
      message: "The size of the table is limited",
      $metadata: {},
    }),
    Object.assign(new Error("The size of the request is wrong"), { name: "ValidationException" }),
  ])("throws that error: %s", async (error) => {
    await receive();
    const { sent, amend } = failing(error);

    await expect(amend()).rejects.toBe(error);
    expect(sent).toEqual(["Update"]);
  });

  test("saying that the item is too large moves members to parts", async () => {
    await receive();
    store.pass(1);
    const { sent, amend } = failing(TOO_LARGE);

    expect((await amend()).members.headline).toBe("New");
    expect(sent).toEqual(["Update", "Get", "Update"]);
  });
});

test("a work-readiness score that is cleared is removed from the item", async () => {
  await receive();
  const score = (value: number | null) => repository().change("acme", handle, workReadinessScore(value));

  expect((await score(0)).candidate.state.workReadinessScore).toBe(0);
  expect((await score(null)).candidate.state.workReadinessScore).toBeUndefined();
});

test("an ordinary amend writes nothing to the log", async () => {
  await receive();
  store.pass(1);

  await repository().amend("acme", handle, { headline: "New" }, {});

  expect(logs.text()).toBe("");
});

test("consent is restored although a document is removed at the same time", async () => {
  const documents = [aDocument({ documentType: "identity_document" })];
  await repository().receive(ACME, submission({ documents }));
  const { candidate } = await repository().change("acme", handle, transition("revoke-consent"));
  let updates = 0;
  const client = clientAround(store.client, async ({ name }, send) => {
    updates += Number(name === "Update");
    if (updates === 2) {
      updates += 1;
      const { updatedAt } = candidate.state;
      store.pass(10);
      await repository().change(
        "acme",
        handle,
        documentRemoval({ documentType: "identity_document", updatedAt }),
      );
    }
    return send();
  });

  const { state } = await repository(client).amend("acme", handle, { consentGiven: true }, {});

  expect(state.status).toBe("received");
});
