import { GetSecretValueCommand, SecretsManagerClient } from "@aws-sdk/client-secrets-manager";
import { DynamoDBDocumentClient, GetCommand, TransactWriteCommand } from "@aws-sdk/lib-dynamodb";
import { expect, test } from "vitest";
import { handler } from "../../../functions/api/rotate-signing-secret.ts";
import { capturedLogs } from "../../builders/captured-logs.ts";
import { mockedClient } from "../../builders/mocked-client.ts";
import { aLambdaContext, aProxyEvent } from "../../builders/proxy-event.ts";
import { anEndpoint } from "../builders.ts";

const table = mockedClient(DynamoDBDocumentClient);
const secrets = mockedClient(SecretsManagerClient);
const logs = capturedLogs();

test("rotate-signing-secret returns the new signing secret once and stores it sealed", async () => {
  const endpoint = anEndpoint();
  const key = { pk: `ENDPOINTS#${endpoint.orgId}`, sk: `ENDPOINT#${endpoint.id}` };
  table.on(GetCommand, { Key: key }).resolves({ Item: endpoint });
  table.on(TransactWriteCommand).resolves({});
  secrets
    .on(GetSecretValueCommand)
    .resolves({ SecretString: JSON.stringify({ current: "1", "1": "generated" }) });

  const response = await handler(aProxyEvent({ id: endpoint.id }), aLambdaContext);

  const { signingSecret } = JSON.parse(response.body);
  const written = JSON.stringify(table.commandCalls(TransactWriteCommand)[0]?.args[0].input);
  expect(signingSecret).toMatch(/^whsec_/);
  expect(written).toContain(endpoint.sealedSecret);
  expect(written).not.toContain(signingSecret.slice("whsec_".length));
  expect(logs.text()).not.toContain("whsec_");
});
