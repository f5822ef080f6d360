import { DynamoDBClient } from "@aws-sdk/client-dynamodb";
import { DynamoDBDocumentClient, GetCommand, type GetCommandInput, PutCommand } from "@aws-sdk/lib-dynamodb";
import { mockClient } from "aws-sdk-client-mock";
import { expect, test } from "vitest";
import { handleOf } from "#candidates/handles";
import { CandidateReader } from "#candidates/store/candidate-reader";
import { CandidateRepository } from "#candidates/store/candidate-repository";
import { CandidateSubmission } from "#contract/candidate-submission";
import { runtime } from "#runtime/runtime";
import { ACME } from "../../builders/organisation.ts";
import { aSubmission, documentsOf, noise } from "../../builders/submission.ts";

/** A mocked table that holds one candidate, some of whose members are in parts, and the reads of it. */
async function aTableWith(members: Parameters<typeof aSubmission>[0]) {
  const items = new Map<string, Record<string, unknown>>();
  const client = DynamoDBDocumentClient.from(new DynamoDBClient());
  const table = mockClient(client);
  table.on(PutCommand).callsFake(({ Item }) => {
    items.set(Item.sk, Item);
    return {};
  });
  table.on(GetCommand).callsFake(({ Key }) => ({ Item: items.get(Key.sk) }));
  const submission = CandidateSubmission.parse(aSubmission(members));
  await new CandidateRepository(client, "candidates", runtime).receive(ACME, submission);
  table.resetHistory();
  return {
    items,
    reader: new CandidateReader(client, "candidates", runtime),
    handle: handleOf(ACME, submission.externalId),
    externalId: submission.externalId,
    reads: () => table.commandCalls(GetCommand).map(({ args: [{ input }] }) => input),
  };
}

const kindsOf = (reads: readonly GetCommandInput[]) => reads.map(({ Key }) => Key?.["sk"].split("#")[0]);

// Every read of the local engine is consistent, so only the command shows what was asked for.
test("a candidate and its parts are read with strong consistency", async () => {
  const { reader, externalId, reads } = await aTableWith({ documents: documentsOf(400_000) });

  await reader.findByExternalId(ACME, externalId);

  expect(kindsOf(reads())).toEqual(["RECORD", "PART"]);
  for (const read of reads()) expect(read).toMatchObject({ ConsistentRead: true });
});

test("an inspection reads no parts of members that it does not show", async () => {
  const workHistory = Array.from({ length: 40 }, () => ({
    employer: noise(200),
    jobTitle: noise(200),
    startDate: "2020-01-01",
    description: noise(4_000),
  }));
  const assessments = Array.from({ length: 50 }, () => ({
    name: noise(200),
    status: "completed" as const,
    reportUrl: `https://${noise(2_040)}`,
  }));
  // Together too much for one item: the largest, the work history, is in parts.
  const submission = { workHistory, assessments, documents: documentsOf(120_000) };
  const { reader, handle, reads } = await aTableWith(submission);

  await reader.inspect("acme", handle);
  const inspected = kindsOf(reads());
  await reader.find("acme", handle);

  expect(inspected).toEqual(["RECORD"]);
  expect(kindsOf(reads())).toEqual(["RECORD", "RECORD", "PART"]);
});

test("a candidate with a missing part is read five times before the read fails", async () => {
  const { reader, handle, reads, items } = await aTableWith({ documents: documentsOf(400_000) });
  for (const sk of items.keys()) if (sk.startsWith("PART#")) items.delete(sk);

  await expect(reader.find("acme", handle)).rejects.toThrow(/^A part of staged_\w{26} is gone/);

  expect(kindsOf(reads()).filter((kind) => kind === "RECORD")).toHaveLength(5);
});
