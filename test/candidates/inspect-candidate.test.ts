import { DynamoDBDocumentClient, GetCommand } from "@aws-sdk/lib-dynamodb";
import { expect, test } from "vitest";
import { digestOf, stagedIdOf } from "#candidates/handles";
import { handler } from "../../functions/platform/inspect-candidate.ts";
import { aStoredItem } from "../builders/candidate.ts";
import { capturedLogs } from "../builders/captured-logs.ts";
import { mockedClient } from "../builders/mocked-client.ts";
import { A_HANDLE_KEY, ACME } from "../builders/organisation.ts";
import { aLambdaContext } from "../builders/proxy-event.ts";

const table = mockedClient(DynamoDBDocumentClient);
const logs = capturedLogs();

test("inspect-candidate logs which candidate an externalId led to, but not the externalId", async () => {
  const externalId = "ada@example.com";
  table
    .on(GetCommand)
    .resolvesOnce({ Item: { handleKey: A_HANDLE_KEY } })
    .resolvesOnce({ Item: aStoredItem({ externalId, firstName: "Ada" }) })
    .resolves({});

  await handler({ orgId: "acme", externalId }, aLambdaContext);

  expect(JSON.parse(logs.text())).toMatchObject({
    message: "invocation",
    outcome: "ok",
    orgId: "acme",
    stagedId: stagedIdOf(digestOf(ACME, externalId)),
  });
  expect(logs.text()).not.toMatch(/ada/i);
});
