import { SQSClient } from "@aws-sdk/client-sqs";
import { DynamoDBDocumentClient } from "@aws-sdk/lib-dynamodb";
import { mockClient } from "aws-sdk-client-mock";
import { afterAll, beforeEach, expect, test, vi } from "vitest";
import { handler } from "../../../functions/platform/inspect-deliveries.ts";
import { capturedLogs } from "../../builders/captured-logs.ts";
import { aLambdaContext } from "../../builders/proxy-event.ts";

vi.hoisted(() => {
  vi.stubEnv("AWS_REGION", "eu-west-1");
  vi.stubEnv("TABLE_NAME", "candidates");
});
afterAll(() => {
  vi.unstubAllEnvs();
});

const table = mockClient(DynamoDBDocumentClient);
const sqs = mockClient(SQSClient);
capturedLogs();

beforeEach(() => {
  for (const client of [table, sqs]) client.reset();
});

test.each([
  { orgId: "acme", endpointId: "whe_1", limit: 101 },
  { orgId: "acme", endpointId: "whe_1", unheard: "of" },
])("inspect-deliveries refuses an invalid input: %j", async (input) => {
  await expect(handler(input, aLambdaContext)).rejects.toMatchObject({ name: "invalid_request" });
  expect([...table.calls(), ...sqs.calls()]).toHaveLength(0);
});
