import { DynamoDBDocumentClient, PutCommand, QueryCommand, UpdateCommand } from "@aws-sdk/lib-dynamodb";
import { beforeEach, expect, test } from "vitest";
import { handler as issueApiKey } from "../../functions/platform/issue-api-key.ts";
import { handler as listApiKeys } from "../../functions/platform/list-api-keys.ts";
import { handler as revokeApiKey } from "../../functions/platform/revoke-api-key.ts";
import { capturedLogs } from "../builders/captured-logs.ts";
import { mockedClient } from "../builders/mocked-client.ts";
import { A_HANDLE_KEY } from "../builders/organisation.ts";
import { aLambdaContext } from "../builders/proxy-event.ts";

const table = mockedClient(DynamoDBDocumentClient);
const logs = capturedLogs();

beforeEach(() => void table.reset());

test("issue-api-key logs whose key it issued and its id, but neither the key nor its name", async () => {
  table.on(UpdateCommand).resolves({ Attributes: { handleKey: A_HANDLE_KEY } });
  table.on(PutCommand).resolves({});

  const { keyId, apiKey } = await issueApiKey(
    { orgId: "acme", newOrganisation: true, name: "for Ada" },
    aLambdaContext,
  );

  expect(JSON.parse(logs.text())).toMatchObject({
    message: "invocation",
    outcome: "ok",
    orgId: "acme",
    newOrganisation: true,
    keyId,
  });
  for (const secret of [apiKey, "Ada", A_HANDLE_KEY]) expect(logs.text()).not.toContain(secret);
});

test("revoke-api-key logs which key it revoked, and whose", async () => {
  const keyId = `key_${"0".repeat(26)}`;
  const key = { keyId, orgId: "acme", name: "for Ada", createdAt: "2026-01-01T00:00:00.000Z" };
  table.on(UpdateCommand).resolves({ Attributes: key });

  await revokeApiKey({ keyId }, aLambdaContext);

  expect(JSON.parse(logs.text())).toMatchObject({ message: "invocation", orgId: "acme", keyId });
  expect(logs.text()).not.toContain("Ada");
});

test("list-api-keys logs whose keys it listed and how many, but not their names", async () => {
  const key = { keyId: `key_${"0".repeat(26)}`, orgId: "acme", name: "for Ada", createdAt: "2026-01-01" };
  table.on(QueryCommand).resolves({ Items: [key, key] });

  await listApiKeys({ orgId: "acme" }, aLambdaContext);

  expect(JSON.parse(logs.text())).toMatchObject({ message: "invocation", orgId: "acme", listed: 2 });
  expect(logs.text()).not.toContain("Ada");
});
