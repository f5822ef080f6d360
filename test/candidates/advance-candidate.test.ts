import { DynamoDBDocumentClient, GetCommand, PutCommand } from "@aws-sdk/lib-dynamodb";
import { mockClient } from "aws-sdk-client-mock";
import { expect, test, vi } from "vitest";
import { digestOf, stagedIdOf } from "#candidates/handles";
import { aStoredItem } from "../builders/candidate.ts";
import { capturedLogs } from "../builders/captured-logs.ts";
import { ACME } from "../builders/organisation.ts";
import { aLambdaContext } from "../builders/proxy-event.ts";

vi.hoisted(() => {
  vi.stubEnv("TABLE_NAME", "candidates");
});

const table = mockClient(DynamoDBDocumentClient);
const logs = capturedLogs();

test("an erasure logs the candidate's id and the transition, and no personal data", async () => {
  const stagedId = stagedIdOf(digestOf(ACME, "ada@example.com"));
  const { handler } = await import("../../functions/platform/advance-candidate.ts");
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
