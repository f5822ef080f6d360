import { SendMessageCommand, SQSClient } from "@aws-sdk/client-sqs";
import { DynamoDBDocumentClient, GetCommand } from "@aws-sdk/lib-dynamodb";
import { beforeEach, expect, test } from "vitest";
import { handler } from "../../../functions/platform/redeliver-event.ts";
import { capturedLogs } from "../../builders/captured-logs.ts";
import { mockedClient } from "../../builders/mocked-client.ts";
import { aLambdaContext } from "../../builders/proxy-event.ts";
import { anEndpoint } from "../builders.ts";

const table = mockedClient(DynamoDBDocumentClient);
const sqs = mockedClient(SQSClient);
const logs = capturedLogs();

const ENDPOINT_ID = `whe_${"0".repeat(26)}`;
const EVENT_ID = `evt_${"0".repeat(26)}`;

beforeEach(() => {
  for (const client of [table, sqs]) client.reset();
  table.on(GetCommand).resolves({});
  sqs.on(SendMessageCommand).resolves({});
});

test.each([{}, { orgId: "acme", endpointId: ENDPOINT_ID }])(
  "redeliver-event refuses an invalid input: %j",
  async (input) => {
    await expect(handler(input, aLambdaContext)).rejects.toMatchObject({ name: "invalid_request" });
    expect([...table.calls(), ...sqs.calls()]).toHaveLength(0);
  },
);

test("redeliver-event logs one line with organisation and outcome", async () => {
  await expect(
    handler({ orgId: "acme", endpointId: ENDPOINT_ID, eventId: EVENT_ID }, aLambdaContext),
  ).rejects.toMatchObject({ name: "not_found" });

  expect(JSON.parse(logs.text())).toMatchObject({
    message: "invocation",
    orgId: "acme",
    outcome: "not_found",
    durationMs: expect.any(Number),
    function_request_id: aLambdaContext.awsRequestId,
  });
});

test("redeliver-event does not find another organisation's endpoint", async () => {
  const endpoint = anEndpoint();
  const key = { pk: `ENDPOINTS#${endpoint.orgId}`, sk: `ENDPOINT#${endpoint.id}` };
  table.on(GetCommand, { Key: key }).resolves({ Item: endpoint });

  await expect(
    handler({ orgId: "other", endpointId: endpoint.id, eventId: EVENT_ID }, aLambdaContext),
  ).rejects.toMatchObject({ name: "not_found" });
  expect(sqs.commandCalls(SendMessageCommand)).toEqual([]);
});
