import { DynamoDBDocumentClient, GetCommand, PutCommand } from "@aws-sdk/lib-dynamodb";
import { mockClient } from "aws-sdk-client-mock";
import { expect, test } from "vitest";
import { CandidateReader } from "#candidates/candidate-reader";
import { CandidateRepository } from "#candidates/candidate-repository";
import { CandidateSubmission } from "#contract/candidate-submission";
import { ACME } from "../builders/organisation.ts";
import { aSubmission, documentsOf } from "../builders/submission.ts";

// Every read of the local engine is consistent, so only the command shows what was asked for.
test("a candidate is read as of now, with its parts", async () => {
  const items = new Map<string, Record<string, unknown>>();
  const table = mockClient(DynamoDBDocumentClient);
  table.on(PutCommand).callsFake(({ Item }) => {
    items.set(Item.sk, Item);
    return {};
  });
  table.on(GetCommand).callsFake(({ Key }) => ({ Item: items.get(Key.sk) }));
  const client = table as unknown as DynamoDBDocumentClient;
  const submission = CandidateSubmission.parse(aSubmission({ documents: documentsOf(400_000) }));
  await new CandidateRepository(client, "candidates").receive(ACME, submission);
  table.resetHistory();

  await new CandidateReader(client, "candidates").findByExternalId(ACME, submission.externalId);

  const reads = table.commandCalls(GetCommand).map(({ args: [{ input }] }) => input);
  expect(reads.map(({ Key }) => Key?.["sk"].split("#")[0])).toEqual(["RECORD", "PART"]);
  for (const read of reads) expect(read).toMatchObject({ ConsistentRead: true });
});
