import { InternalServerError } from "@aws-sdk/client-dynamodb";
import { DynamoDBDocumentClient, GetCommand, PutCommand, UpdateCommand } from "@aws-sdk/lib-dynamodb";
import { beforeEach, describe, expect, test } from "vitest";
import { digestOf, stagedIdOf } from "#candidates/handles";
import { handler } from "../../functions/platform/advance-candidate.ts";
import { aStoredItem } from "../builders/candidate.ts";
import { capturedLogs } from "../builders/captured-logs.ts";
import { mockedClient } from "../builders/mocked-client.ts";
import { ACME } from "../builders/organisation.ts";
import { aLambdaContext } from "../builders/proxy-event.ts";
import { aDocument } from "../builders/submission.ts";

const table = mockedClient(DynamoDBDocumentClient);
const logs = capturedLogs();

beforeEach(() => {
  table.reset();
  table.on(GetCommand).resolves({});
});

test("an erasure logs the candidate's id and the transition, and no personal data", async () => {
  const stagedId = stagedIdOf(digestOf(ACME, "ada@example.com"));
  table.on(PutCommand).resolves({});
  table.on(GetCommand).resolves({ Item: aStoredItem({ externalId: "ada@example.com", firstName: "Ada" }) });

  await handler({ orgId: "acme", handle: stagedId, transition: "erase" }, aLambdaContext);

  const line = logs.text();
  expect(JSON.parse(line)).toMatchObject({
    message: "invocation",
    outcome: "ok",
    orgId: "acme",
    stagedId,
    transition: "erase",
    changed: true,
  });
  expect(line).not.toMatch(/ada/i);
});

test("the removal of a document logs of which type it was, and nothing else of it", async () => {
  const stagedId = stagedIdOf(digestOf(ACME, "ada@example.com"));
  const documents = [aDocument({ documentType: "cv", label: "Ada" })];
  const item = aStoredItem({ externalId: "ada@example.com", firstName: "Ada", documents });
  table.on(UpdateCommand).resolves({ Attributes: item });
  table.on(GetCommand).resolves({ Item: item });

  const { updatedAt } = item;
  const transition = "remove-document";
  await handler(
    { orgId: "acme", handle: stagedId, transition, documentType: "cv", updatedAt },
    aLambdaContext,
  );

  const line = logs.text();
  expect(JSON.parse(line)).toMatchObject({ stagedId, transition, documentType: "cv", changed: true });
  expect(line).not.toMatch(/ada/i);
});

test("what is no handle, such as an e-mail address in its place, is not logged", async () => {
  const input = { orgId: "acme", handle: "ada@example.com", transition: "verify" };

  await expect(handler(input, aLambdaContext)).rejects.toThrow("No candidate");

  expect(JSON.parse(logs.text())).toMatchObject({ orgId: "acme", outcome: "not_found" });
  expect(logs.text()).not.toContain("ada@");
});

describe("advance-candidate", () => {
  const advance = async (input: object) => handler(input, aLambdaContext);
  const handle = `staged_${"0".repeat(26)}`;

  test.each([
    ["no transition", { orgId: "acme", handle }],
    ["an unknown one", { orgId: "acme", handle, transition: "revive" }],
    ["a failed validation without reasons", { orgId: "acme", handle, transition: "fail-validation" }],
    ["with none of them", { orgId: "acme", handle, transition: "fail-validation", reasons: [] }],
    [
      "with a reason that has no code",
      { orgId: "acme", handle, transition: "fail-validation", reasons: [{ message: "x" }] },
    ],
    ["reasons where none belong", { orgId: "acme", handle, transition: "verify", reasons: [] }],
    ["a score above 100", { orgId: "acme", handle, transition: "score", score: 100.5 }],
    ["a score below 0", { orgId: "acme", handle, transition: "score", score: -1 }],
    ["a score that is a text", { orgId: "acme", handle, transition: "score", score: "7" }],
    ["no score", { orgId: "acme", handle, transition: "score" }],
    ["an assessment without a name", { orgId: "acme", handle, transition: "assess", assessment: {} }],
    ["no organisation", { handle, transition: "verify" }],
    ["nothing", {}],
  ])("refuses %s", async (_what, input) => {
    await expect(advance(input)).rejects.toMatchObject({ name: "invalid_request" });
    expect(table.calls()).toHaveLength(0);
  });

  test.each(["", "staged_", "cand_1", "whe_1", `STAGED_${"0".repeat(26)}`])(
    "does not find a candidate by a malformed handle: %j",
    async (handleOfNone) => {
      await expect(
        advance({ orgId: "acme", handle: handleOfNone, transition: "verify" }),
      ).rejects.toMatchObject({ name: "not_found" });
    },
  );

  test("reports an outage to the platform", async () => {
    table
      .on(GetCommand)
      .rejects(new InternalServerError({ message: "outage", $metadata: { httpStatusCode: 500 } }));

    await expect(advance({ orgId: "acme", handle, transition: "verify" })).rejects.toThrow("outage");
  });
});
