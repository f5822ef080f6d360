import type { DynamoDBDocumentClient } from "@aws-sdk/lib-dynamodb";
import { beforeEach, expect, test } from "vitest";
import { CandidateReader } from "#candidates/candidate-reader";
import { CandidateRepository } from "#candidates/candidate-repository";
import { transition, workReadinessScore } from "#candidates/change";
import { canonicalIdOf, digestOf, parseHandle, stagedIdOf } from "#candidates/handles";
import { CandidateSubmission } from "#contract/candidate-submission";
import { ACME } from "../builders/organisation.ts";
import { runtimeAt } from "../builders/runtime.ts";
import { aSubmission } from "../builders/submission.ts";
import { SimulatedStore } from "../simulation/simulated-store.ts";

const stagedId = stagedIdOf(digestOf(ACME, "ext-1"));
const handle = parseHandle(stagedId);

let store: SimulatedStore;
beforeEach(() => {
  store = new SimulatedStore();
});

const repository = (client = store.client) =>
  new CandidateRepository(client, store.tableName, runtimeAt(store.now));
const reader = () => new CandidateReader(store.client, store.tableName);
const receive = () =>
  repository().receive(ACME, CandidateSubmission.parse(aSubmission({ externalId: "ext-1" })));

test("a create and its replay have one receipt", async () => {
  const response = {
    stagedId,
    externalId: "ext-1",
    status: "received",
    receivedAt: store.now().toISOString(),
  };

  expect(await receive()).toEqual({ response, replayed: false });
  store.pass(1_000);
  expect(await receive()).toEqual({ response, replayed: true });
});

test("an amend of nothing is refused too where the record has another version", async () => {
  const { response } = await receive();
  const amendNothing = (version: string) => repository().amend("acme", handle, {}, { ifMatch: [version] });

  await expect(amendNothing("2020-01-01T00:00:00.000Z")).rejects.toMatchObject({
    code: "precondition_failed",
  });
  expect((await amendNothing(response.receivedAt)).state.updatedAt).toBe(response.receivedAt);
});

test("an amend holds where the record has one of the versions that it names", async () => {
  const { response } = await receive();
  const ifMatch = ["2020-01-01T00:00:00.000Z", response.receivedAt, "2021-01-01T00:00:00.000Z"];
  store.pass(1);

  const { members } = await repository().amend("acme", handle, { headline: "New" }, { ifMatch });

  expect(members.headline).toBe("New");
});

test("a canonical id amends nobody before the promotion that makes it valid", async () => {
  await receive();
  const canonical = parseHandle(canonicalIdOf(handle.digest));
  const amend = () => repository().amend("acme", canonical, { headline: "New" });
  store.pass(1);

  await expect(amend()).rejects.toMatchObject({ code: "not_found" });
  expect((await reader().find("acme", handle)).members).not.toHaveProperty("headline");
  await repository().change("acme", handle, transition("promote"));
  store.pass(1);
  expect((await amend()).members.headline).toBe("New");
});

test.each<[string, (racing: CandidateRepository) => Promise<unknown>]>([
  ["an amend", (racing) => racing.amend("acme", handle, { headline: "Mine" })],
  ["a change", (racing) => racing.change("acme", handle, workReadinessScore(12))],
])("%s that loses twenty races ends as a fault that passes", async (_what, write) => {
  await receive();
  let races = 0;
  const client: DynamoDBDocumentClient = Object.create(store.client, {
    send: {
      value: async (command: Parameters<DynamoDBDocumentClient["send"]>[0]) => {
        if (command.constructor.name === "UpdateCommand") {
          races += 1;
          store.pass(1);
          await repository().amend("acme", handle, { headline: `Another's ${races}` });
        }
        return store.client.send(command);
      },
    },
  });

  await expect(write(repository(client))).rejects.toMatchObject({ code: "service_unavailable" });
  expect(races).toBe(20);
});
