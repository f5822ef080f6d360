import { SendMessageCommand, SQSClient } from "@aws-sdk/client-sqs";
import { DynamoDBDocumentClient, GetCommand } from "@aws-sdk/lib-dynamodb";
import { beforeEach, describe, expect, test } from "vitest";
import { readDelivery } from "#webhooks/delivery/delivery";
import { handler } from "../../../functions/api/test-webhook-endpoint.ts";
import { capturedLogs } from "../../builders/captured-logs.ts";
import { mockedClient } from "../../builders/mocked-client.ts";
import { aLambdaContext, aProxyEvent } from "../../builders/proxy-event.ts";
import { anEndpoint, SQS_THROTTLED } from "../builders.ts";

const table = mockedClient(DynamoDBDocumentClient);
const sqs = mockedClient(SQSClient);
capturedLogs();

beforeEach(() => {
  for (const client of [table, sqs]) client.reset();
  table.on(GetCommand).resolves({});
  sqs.on(SendMessageCommand).resolves({});
});

const stored = (endpoint = anEndpoint()) => {
  table
    .on(GetCommand, { Key: { pk: `ENDPOINTS#${endpoint.orgId}`, sk: `ENDPOINT#${endpoint.id}` } })
    .resolves({ Item: endpoint });
  return endpoint;
};
const sent = () =>
  sqs.commandCalls(SendMessageCommand).map(({ args: [{ input }] }) => readDelivery(input.MessageBody ?? ""));
const queueUrls = () => sqs.commandCalls(SendMessageCommand).map(({ args: [{ input }] }) => input.QueueUrl);

describe("test-webhook-endpoint", () => {
  const sendSample = async (id: string, orgId = "acme") =>
    handler(aProxyEvent({ id, orgId }), aLambdaContext);

  test.each([true, false])("queues one sample, with an empty response (active: %s)", async (active) => {
    const endpoint = stored(anEndpoint({ active, eventTypes: ["candidate.promoted", "candidate.erased"] }));

    const response = await sendSample(endpoint.id);

    expect(response).toMatchObject({ statusCode: 202, body: "" });
    expect(sent()).toMatchObject([
      { orgId: "acme", endpointId: endpoint.id, eventType: "candidate.promoted", attempt: 1, sample: true },
    ]);
    expect(JSON.parse(sent()[0]?.body ?? "")).toMatchObject({ type: "candidate.promoted", sample: true });
    // Where it delays no event, and waits for no retry.
    expect(queueUrls()).toEqual(["https://sqs.eu-west-1.amazonaws.com/1/side"]);
  });

  test("for another organisation's endpoint returns a 404 and queues nothing", async () => {
    const endpoint = stored();

    expect((await sendSample(endpoint.id, "other")).statusCode).toBe(404);
    expect((await sendSample("whe_none")).statusCode).toBe(404);
    expect(sent()).toEqual([]);
  });

  test("returns Retry-After while the queue is throttled", async () => {
    const endpoint = stored();
    sqs.on(SendMessageCommand).rejects(SQS_THROTTLED);

    const response = await sendSample(endpoint.id);

    expect(response.statusCode).toBe(503);
    expect(response.headers?.["Retry-After"]).toBeDefined();
  });
});
