import { expect, test } from "vitest";
import { clientDefaults } from "#runtime/client-defaults";
import { documentClient, documentClientWith } from "#runtime/dynamodb";
import { onceOnly } from "#runtime/once-only";
import { secretsManagerClient } from "#runtime/secrets-manager";
import { sendOnceClient, sqsClient } from "#runtime/sqs";
import { httpSettingsOf } from "../builders/http-settings.ts";

test.each([
  ["of the table", documentClient, clientDefaults],
  ["of the table with more sockets", documentClientWith(60), clientDefaults],
  ["of queues", sqsClient, clientDefaults],
  ["of secrets", secretsManagerClient, clientDefaults],
  ["of queues that sends once", sendOnceClient, onceOnly],
])("the functions' client %s gives up an attempt after its timeout", async (_which, client, expected) => {
  expect(await client.config.maxAttempts()).toBe(expected.maxAttempts);
  expect(await httpSettingsOf(client)).toMatchObject(expected.requestHandler);
});
