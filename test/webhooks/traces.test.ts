import { SendMessageBatchCommand, SQSClient } from "@aws-sdk/client-sqs";
import {
  DynamoDBDocumentClient,
  GetCommand,
  PutCommand,
  QueryCommand,
  UpdateCommand,
} from "@aws-sdk/lib-dynamodb";
import type { APIGatewayRequestAuthorizerEvent, DynamoDBStreamEvent, SQSEvent } from "aws-lambda";
import { mockClient } from "aws-sdk-client-mock";
import { afterAll, beforeAll, beforeEach, expect, test, vi } from "vitest";
import { generateApiKey, hashOf, keyIdOf } from "#organisations/api-key";
import { A_HANDLE_KEY } from "../builders/organisation.ts";
import { aLambdaContext, aProxyEvent } from "../builders/proxy-event.ts";
import { aSubmission } from "../builders/submission.ts";
import { aDelivery, anEndpoint, anOutboxRecord } from "./builders.ts";
import { capturedLogs } from "./logs.ts";
import { anXRayDaemon, type XRayDaemon } from "./xray-daemon.ts";

const TRACE_ID = "1-5759e988-bd862e3fe1be46a994272793";
const DUE = "2020-01-01T00:00:00.000Z";

const table = mockClient(DynamoDBDocumentClient);
const sqs = mockClient(SQSClient);
capturedLogs();

let daemon: XRayDaemon;
beforeAll(async () => {
  daemon = await anXRayDaemon(TRACE_ID);
  // The functions are loaded after this, as Lambda loads them when tracing is on.
  for (const [name, value] of Object.entries({
    ...daemon.environment,
    AWS_REGION: "eu-west-1",
    TABLE_NAME: "candidates",
    DELIVERY_QUEUE_URL: "https://sqs.eu-west-1.amazonaws.com/1/deliveries",
    RETRY_QUEUE_URL: "https://sqs.eu-west-1.amazonaws.com/1/retries",
    RETRY_QUEUE_ARN: "arn:aws:sqs:eu-west-1:1:retries",
    DEAD_LETTER_QUEUE_URL: "https://sqs.eu-west-1.amazonaws.com/1/dead-letters",
    UNREADABLE_EVENTS_QUEUE_URL: "https://sqs.eu-west-1.amazonaws.com/1/unreadable",
    KEYRING_SECRET_ID: "keyring",
    ALLOWED_WEBHOOK_NETWORKS: "",
  })) {
    vi.stubEnv(name, value);
  }
});
beforeEach(() => {
  daemon.steps.length = 0;
  table.reset();
  sqs.reset();
  table.on(UpdateCommand).resolves({ Attributes: {} });
  table.on(GetCommand).resolves({});
});
afterAll(() => {
  daemon.close();
  vi.unstubAllEnvs();
});

test("each delivery of a batch is a step of its own in the trace, found by its ids and its outcome", async () => {
  const { handler } = await import("../../functions/deliver-webhook.ts");
  const dropped = aDelivery({ dueAt: DUE });
  const failing = aDelivery({ dueAt: DUE, attempt: 3 });
  table.on(GetCommand).callsFake(({ Key }) => {
    if (Key.sk === `ENDPOINT#${failing.endpointId}`) throw new Error("outage at ada@example.com");
    return {};
  });
  const Records = [dropped, failing].map((delivery, index) => ({
    messageId: `message-${index}`,
    body: JSON.stringify(delivery),
    attributes: { ApproximateReceiveCount: "1" },
  }));

  await handler({ Records } as unknown as SQSEvent, aLambdaContext);

  await daemon.told(2);
  const stepOf = (eventId: string) =>
    daemon.steps.find(({ annotations }) => annotations?.["eventId"] === eventId);
  expect(stepOf(dropped.eventId)).toMatchObject({
    name: "delivery",
    trace_id: TRACE_ID,
    annotations: { orgId: "acme", endpointId: dropped.endpointId, attempt: 1, outcome: "dropped" },
  });
  expect(stepOf(failing.eventId)).toMatchObject({ fault: true, annotations: { attempt: 3 } });
  expect(JSON.stringify(daemon.steps)).not.toMatch(/ada@example|ext-/);
});

test("a delivery of an invocation that is not traced is worked on as any other, and told to nobody", async () => {
  const { handler } = await import("../../functions/deliver-webhook.ts");
  const delivery = aDelivery({ dueAt: DUE });
  const attributes = { ApproximateReceiveCount: "1" };
  const Records = [{ messageId: "message-1", body: JSON.stringify(delivery), attributes }];
  const traceIds = [undefined, `Root=${TRACE_ID};Parent=53995c3f42cd8ad8;Sampled=0`];

  for (const traceId of traceIds) {
    vi.stubEnv("_X_AMZN_TRACE_ID", traceId);
    await expect(handler({ Records } as unknown as SQSEvent, aLambdaContext)).resolves.toEqual({
      batchItemFailures: [],
    });
  }
  vi.stubEnv("_X_AMZN_TRACE_ID", `Root=${TRACE_ID};Parent=53995c3f42cd8ad8;Sampled=1`);
  await handler({ Records } as unknown as SQSEvent, aLambdaContext);

  await daemon.told(1);
  expect(daemon.steps).toHaveLength(1);
});

test("each event that is published marks the trace, which is found by its id", async () => {
  const { handler } = await import("../../functions/publish-events.ts");
  table.on(QueryCommand).resolves({ Items: [anEndpoint(), anEndpoint()] });
  sqs.on(SendMessageBatchCommand).resolves({});
  const { sequenceNumber, newImage } = anOutboxRecord();
  const Records = [{ eventName: "MODIFY", dynamodb: { SequenceNumber: sequenceNumber, NewImage: newImage } }];

  await handler({ Records } as unknown as DynamoDBStreamEvent, aLambdaContext);

  await daemon.told(1);
  expect(daemon.steps).toMatchObject([
    {
      name: "event",
      trace_id: TRACE_ID,
      annotations: {
        orgId: "acme",
        eventId: newImage["event"]?.M?.["id"]?.S,
        stagedId: expect.stringMatching(/^staged_/),
        endpoints: 2,
      },
    },
  ]);
  expect(JSON.stringify(daemon.steps)).not.toMatch(/Lovelace|ada@example|ext-/);
});

test("a request leaves no handle key in the trace, neither where it is authorized nor where it is answered", async () => {
  vi.stubEnv("ENVIRONMENT", "development");
  const { handler: authorize } = await import("../../functions/authorize-request.ts");
  const { handler: create } = await import("../../functions/create-candidate.ts");
  const { marked } = await import("#aws/tracer");
  const apiKey = generateApiKey("development");
  const hash = hashOf(apiKey);
  const key = { keyId: keyIdOf(hash), orgId: "acme", name: "test", createdAt: DUE };
  table.on(GetCommand).resolves({ Item: { ...key, hash, handleKey: A_HANDLE_KEY } });
  table.on(PutCommand).resolves({});

  const request = {
    headers: { "X-API-Key": apiKey },
    methodArn: "arn:aws:execute-api:eu-west-1:1:a/b/GET/c",
  };
  const { context } = await authorize(request as unknown as APIGatewayRequestAuthorizerEvent, aLambdaContext);
  const { statusCode } = await create(aProxyEvent({ body: aSubmission() }), aLambdaContext);
  marked("end", { orgId: "acme" });

  await daemon.told(1);
  expect(context).toMatchObject({ handleKey: A_HANDLE_KEY });
  expect(statusCode).toBe(201);
  expect(daemon.steps.at(-1)).toMatchObject({ name: "end" });
  expect(JSON.stringify(daemon.steps)).not.toContain(A_HANDLE_KEY);
});
