import { GetSecretValueCommand, SecretsManagerClient } from "@aws-sdk/client-secrets-manager";
import { DynamoDBDocumentClient, QueryCommand } from "@aws-sdk/lib-dynamodb";
import { beforeEach, expect, test } from "vitest";
import { handler as resealSigningSecrets } from "../../../functions/platform/reseal-signing-secrets.ts";
import { handler as rotateKeyring } from "../../../functions/platform/rotate-keyring.ts";
import { capturedLogs } from "../../builders/captured-logs.ts";
import { mockedClient } from "../../builders/mocked-client.ts";
import { aLambdaContext } from "../../builders/proxy-event.ts";
import { FIRST } from "./keyrings.ts";

const secretsManager = mockedClient(SecretsManagerClient);
const table = mockedClient(DynamoDBDocumentClient);
const logs = capturedLogs();

beforeEach(() => {
  secretsManager.reset();
  secretsManager.onAnyCommand().resolves({});
  secretsManager.on(GetSecretValueCommand).resolves({ SecretString: JSON.stringify(FIRST), VersionId: "1" });
});

test("rotate-keyring logs the id of the key that seals from now on, and no key", async () => {
  await expect(rotateKeyring({}, aLambdaContext)).resolves.toEqual({ current: "2" });

  expect(JSON.parse(logs.text())).toMatchObject({ message: "invocation", outcome: "ok", sealingKeyId: "2" });
  expect(logs.text()).not.toContain(FIRST["1"]);
});

test("reseal-signing-secrets logs how many secrets it resealed, and how many it could not open", async () => {
  table.on(QueryCommand).resolves({ Items: [] });

  await resealSigningSecrets({}, aLambdaContext);

  expect(JSON.parse(logs.text())).toMatchObject({ message: "invocation", resealed: 0, unopened: 0 });
});
