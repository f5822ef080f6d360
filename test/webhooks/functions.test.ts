import { InternalServerError, TransactionCanceledException } from "@aws-sdk/client-dynamodb";
import {
  GetSecretValueCommand,
  InternalServiceError,
  SecretsManagerClient,
} from "@aws-sdk/client-secrets-manager";
import {
  ChangeMessageVisibilityCommand,
  DeleteMessageCommand,
  ReceiveMessageCommand,
  SendMessageCommand,
  SQSClient,
  SQSServiceException,
} from "@aws-sdk/client-sqs";
import { DynamoDBDocumentClient, GetCommand, TransactWriteCommand } from "@aws-sdk/lib-dynamodb";
import type { SQSEvent } from "aws-lambda";
import { mockClient } from "aws-sdk-client-mock";
import { afterAll, beforeEach, describe, expect, test, vi } from "vitest";
import { newEndpointId, newRecoveryId } from "#contract/identifiers";
import { runtime } from "#runtime/runtime";
import { eventOf, readDelivery } from "#webhooks/delivery/delivery";
import { capturedLogs } from "../builders/captured-logs.ts";
import { aLambdaContext, aProxyEvent } from "../builders/proxy-event.ts";
import { aDelivery, anEndpoint } from "./builders.ts";

vi.hoisted(() => {
  vi.stubEnv("AWS_REGION", "eu-west-1");
  vi.stubEnv("TABLE_NAME", "candidates");
  vi.stubEnv("EVENT_RETENTION_DAYS", "30");
  vi.stubEnv("SIDE_QUEUE_URL", "https://sqs.eu-west-1.amazonaws.com/1/side");
  vi.stubEnv("RETRY_QUEUE_URL", "https://sqs.eu-west-1.amazonaws.com/1/retries");
  vi.stubEnv("DEAD_LETTER_QUEUE_URL", "https://sqs.eu-west-1.amazonaws.com/1/dead-letters");
  vi.stubEnv("UNREADABLE_EVENTS_QUEUE_URL", "https://sqs.eu-west-1.amazonaws.com/1/unreadable");
  vi.stubEnv("UNSWEPT_PARTS_QUEUE_URL", "https://sqs.eu-west-1.amazonaws.com/1/unswept");
  vi.stubEnv("KEYRING_SECRET_ID", "keyring");
  vi.stubEnv("RETRY_SCHEDULE", "standard");
  vi.stubEnv("ALLOWED_WEBHOOK_NETWORKS", "");
});
afterAll(() => {
  vi.unstubAllEnvs();
});

const table = mockClient(DynamoDBDocumentClient);
const sqs = mockClient(SQSClient);
const secrets = mockClient(SecretsManagerClient);
const logs = capturedLogs();

const THROTTLED = new SQSServiceException({
  name: "ThrottlingException",
  $fault: "client",
  message: "Rate exceeded",
  $metadata: { httpStatusCode: 400 },
});

beforeEach(() => {
  for (const client of [table, sqs, secrets]) client.reset();
  table.on(TransactWriteCommand).resolves({});
  table.on(GetCommand).resolves({});
  sqs.on(SendMessageCommand).resolves({});
  sqs.on(DeleteMessageCommand).resolves({});
  sqs.on(ChangeMessageVisibilityCommand).resolves({});
  secrets
    .on(GetSecretValueCommand)
    .resolves({ SecretString: JSON.stringify({ current: "1", "1": "generated" }) });
});

const stored = (endpoint = anEndpoint()) => {
  table
    .on(GetCommand, { Key: { pk: `ORGANISATION#${endpoint.orgId}`, sk: `ENDPOINT#${endpoint.id}` } })
    .resolves({ Item: endpoint });
  return endpoint;
};
const sent = () =>
  sqs.commandCalls(SendMessageCommand).map(({ args: [{ input }] }) => readDelivery(input.MessageBody ?? ""));
const queueUrls = () => sqs.commandCalls(SendMessageCommand).map(({ args: [{ input }] }) => input.QueueUrl);

describe("create-webhook-endpoint", () => {
  const create = async (body: object) => {
    const { handler } = await import("../../functions/api/create-webhook-endpoint.ts");
    return handler(aProxyEvent({ body }), aLambdaContext);
  };
  const registration = { url: "https://receiver.example.com/", eventTypes: ["candidate.received"] };
  const written = () => JSON.stringify(table.commandCalls(TransactWriteCommand)[0]?.args[0].input);

  test("returns the signing secret once and stores it sealed", async () => {
    const answer = await create(registration);

    const endpoint = JSON.parse(answer.body);
    expect(answer.statusCode).toBe(201);
    expect(endpoint).toEqual({
      id: expect.stringMatching(/^whe_/),
      url: registration.url,
      eventTypes: registration.eventTypes,
      active: true,
      createdAt: expect.any(String),
      description: null,
      signingSecret: expect.stringMatching(/^whsec_/),
    });
    expect(written()).toContain(endpoint.id);
    expect(written()).not.toContain(endpoint.signingSecret.slice("whsec_".length));
    expect(logs.text()).not.toContain("whsec_");
  });

  test("keeps a repeated event type once", async () => {
    const answer = await create({
      ...registration,
      eventTypes: ["candidate.erased", "candidate.received", "candidate.erased"],
    });

    expect(JSON.parse(answer.body).eventTypes).toEqual(["candidate.erased", "candidate.received"]);
  });

  test("subscribes to an extension event beside the contract's", async () => {
    const eventTypes = ["candidate.consent_revoked", "candidate.consent_restored"];

    const answer = await create({ ...registration, eventTypes });

    expect(answer.statusCode).toBe(201);
    expect(JSON.parse(answer.body).eventTypes).toEqual(eventTypes);
  });

  test.each([
    ["a private address", { ...registration, url: "https://10.0.0.1/" }],
    ["http", { ...registration, url: "http://receiver.example.com/" }],
    ["an unknown event type", { ...registration, eventTypes: ["candidate.unknown"] }],
    ["no event type", { ...registration, eventTypes: [] }],
    ["an unknown member", { ...registration, active: false }],
    ["a description that is too long", { ...registration, description: "x".repeat(501) }],
  ])("refuses %s and registers nothing", async (_what, body) => {
    const answer = await create(body);

    expect(answer.statusCode).toBe(400);
    expect(JSON.parse(answer.body).error).toBe("invalid_request");
    expect(table.calls()).toHaveLength(0);
  });

  test("registers nothing if the keyring cannot be read, and returns Retry-After", async () => {
    vi.resetModules();
    secrets
      .on(GetSecretValueCommand)
      .rejects(new InternalServiceError({ message: "outage", $metadata: { httpStatusCode: 500 } }));

    const answer = await create(registration);

    expect(answer.statusCode).toBe(503);
    expect(answer.headers?.["Retry-After"]).toBeDefined();
    expect(table.calls()).toHaveLength(0);
  });

  test("refuses an endpoint beyond the limit of its organisation", async () => {
    table.on(TransactWriteCommand).rejects(
      new TransactionCanceledException({
        message: "cancelled",
        $metadata: {},
        CancellationReasons: [{ Code: "ConditionalCheckFailed" }, { Code: "None" }],
      }),
    );

    const answer = await create(registration);

    expect(answer.statusCode).toBe(400);
    expect(JSON.parse(answer.body)).toEqual({
      error: "invalid_request",
      message: expect.stringContaining("50"),
    });
  });

  test.each([
    ["a concurrent registration", "TransactionConflict"],
    ["throttling of its transaction", "ThrottlingError"],
    ["a partition at its limit", "ProvisionedThroughputExceeded"],
  ])("succeeds despite %s", async (_what, Code) => {
    table
      .on(TransactWriteCommand)
      .rejectsOnce(
        new TransactionCanceledException({
          message: "cancelled",
          $metadata: {},
          CancellationReasons: [{ Code }, { Code: "None" }],
        }),
      )
      .resolves({});

    expect((await create(registration)).statusCode).toBe(201);
  });
});

describe("rotate-signing-secret", () => {
  test("returns the new signing secret once and stores it sealed", async () => {
    const endpoint = stored();
    table.on(TransactWriteCommand).resolves({});
    const { handler } = await import("../../functions/api/rotate-signing-secret.ts");

    const answer = await handler(aProxyEvent({ id: endpoint.id }), aLambdaContext);

    const { signingSecret } = JSON.parse(answer.body);
    const written = JSON.stringify(table.commandCalls(TransactWriteCommand)[0]?.args[0].input);
    expect(signingSecret).toMatch(/^whsec_/);
    expect(written).toContain(endpoint.sealedSecret);
    expect(written).not.toContain(signingSecret.slice("whsec_".length));
    expect(logs.text()).not.toContain("whsec_");
  });
});

describe("test-webhook-endpoint", () => {
  const sendSample = async (id: string, orgId = "acme") => {
    const { handler } = await import("../../functions/api/test-webhook-endpoint.ts");
    return handler(aProxyEvent({ id, orgId }), aLambdaContext);
  };

  test.each([true, false])("queues one sample, with an empty response (active: %s)", async (active) => {
    const endpoint = stored(anEndpoint({ active, eventTypes: ["candidate.promoted", "candidate.erased"] }));

    const answer = await sendSample(endpoint.id);

    expect(answer).toMatchObject({ statusCode: 202, body: "" });
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
    sqs.on(SendMessageCommand).rejects(THROTTLED);

    const answer = await sendSample(endpoint.id);

    expect(answer.statusCode).toBe(503);
    expect(answer.headers?.["Retry-After"]).toBeDefined();
  });
});

describe("the platform's functions", () => {
  test.each([
    ["redeliver-event", {}],
    ["redeliver-event", { orgId: "acme", endpointId: "whe_1" }],
    ["redrive-dead-letters", { queue: "other" }],
    ["redrive-dead-letters", {}],
    ["inspect-deliveries", { orgId: "acme", endpointId: "whe_1", limit: 101 }],
    ["inspect-deliveries", { orgId: "acme", endpointId: "whe_1", unheard: "of" }],
  ])("%s refuses an invalid input: %j", async (name, input) => {
    const { handler } = await import(`../../functions/platform/${name}.ts`);

    await expect(handler(input, aLambdaContext)).rejects.toMatchObject({ name: "invalid_request" });
    expect([...table.calls(), ...sqs.calls()]).toHaveLength(0);
  });

  test("log one line each with organisation and outcome", async () => {
    const { handler } = await import("../../functions/platform/redeliver-event.ts");

    await expect(
      handler({ orgId: "acme", endpointId: "whe_1", eventId: "evt_1" }, aLambdaContext),
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
    const endpoint = stored();
    const { handler } = await import("../../functions/platform/redeliver-event.ts");

    await expect(
      handler({ orgId: "other", endpointId: endpoint.id, eventId: "evt_1" }, aLambdaContext),
    ).rejects.toMatchObject({ name: "not_found" });
    expect(sent()).toEqual([]);
  });

  test("list-dead-letters shows each queue and changes none", async () => {
    const dead = aDelivery();
    sqs
      .on(ReceiveMessageCommand, { QueueUrl: process.env["DEAD_LETTER_QUEUE_URL"] })
      .resolvesOnce({ Messages: [{ Body: JSON.stringify(dead), ReceiptHandle: "1" }] })
      .resolves({});
    sqs
      .on(ReceiveMessageCommand, { QueueUrl: process.env["UNREADABLE_EVENTS_QUEUE_URL"] })
      .resolvesOnce({ Messages: [{ Body: "nonsense", ReceiptHandle: "2" }] })
      .resolves({});
    sqs
      .on(ReceiveMessageCommand, { QueueUrl: process.env["UNSWEPT_PARTS_QUEUE_URL"] })
      .resolvesOnce({ Messages: [{ Body: "{}", ReceiptHandle: "3" }] })
      .resolves({});
    const { handler } = await import("../../functions/platform/list-dead-letters.ts");

    const { data } = await handler({}, aLambdaContext);

    expect(data.map(({ queue, eventId }) => [queue, eventId])).toEqual([
      ["deliveries", dead.eventId],
      ["events", null],
      ["sweeps", null],
    ]);
    expect(sqs.commandCalls(DeleteMessageCommand)).toHaveLength(0);
    expect(sqs.commandCalls(ChangeMessageVisibilityCommand)).toHaveLength(3);
    expect(JSON.stringify(data)).not.toContain("ext-1");
  });

  test("redrive-dead-letters redrives deliveries and keeps unreadable ones", async () => {
    const dead = aDelivery({ attempt: 11 });
    sqs
      .on(ReceiveMessageCommand)
      .resolvesOnce({
        Messages: [
          { Body: JSON.stringify(dead), ReceiptHandle: "1" },
          { Body: "nonsense", ReceiptHandle: "2" },
        ],
      })
      .resolves({});
    const { handler } = await import("../../functions/platform/redrive-dead-letters.ts");

    await expect(handler({ queue: "deliveries" }, aLambdaContext)).resolves.toEqual({
      redriven: 1,
      left: 1,
    });

    expect(sent()).toMatchObject([{ eventId: dead.eventId, event: eventOf(dead), attempt: 1 }]);
    expect(sqs.commandCalls(DeleteMessageCommand)[0]?.args[0].input.ReceiptHandle).toBe("1");
  });

  test("redrive-dead-letters deletes nothing that could not be sent", async () => {
    sqs
      .on(ReceiveMessageCommand)
      .resolvesOnce({ Messages: [{ Body: JSON.stringify(aDelivery()), ReceiptHandle: "1" }] })
      .resolves({});
    sqs.on(SendMessageCommand).rejects(THROTTLED);
    const { handler } = await import("../../functions/platform/redrive-dead-letters.ts");

    await expect(handler({ queue: "deliveries" }, aLambdaContext)).rejects.toThrow("Rate exceeded");
    expect(sqs.commandCalls(DeleteMessageCommand)).toHaveLength(0);
    expect(logs.lines().map((line) => JSON.parse(line))).toMatchObject([
      { level: "ERROR", message: "invocation failed", cause: { message: "Rate exceeded" } },
      { level: "INFO", message: "invocation", outcome: "ThrottlingException" },
    ]);
  });
});

describe("advance-candidate", () => {
  const advance = async (input: object) => {
    const { handler } = await import("../../functions/platform/advance-candidate.ts");
    return handler(input, aLambdaContext);
  };
  const handle = `staged_${"0".repeat(26)}`;

  test.each([
    ["no transition", { orgId: "acme", handle }],
    ["an unknown one", { orgId: "acme", handle, transition: "revive" }],
    ["a failed validation without reasons", { orgId: "acme", handle, transition: "fail-validation" }],
    ["with none of them", { orgId: "acme", handle, transition: "fail-validation", reasons: [] }],
    [
      "with a reason that has no code",
      { orgId: "acme", handle, transition: "fail-validation", reasons: [{ message: "x" }] },
    ],
    ["reasons where none belong", { orgId: "acme", handle, transition: "verify", reasons: [] }],
    ["a score above 100", { orgId: "acme", handle, transition: "score", score: 100.5 }],
    ["a score below 0", { orgId: "acme", handle, transition: "score", score: -1 }],
    ["a score that is a text", { orgId: "acme", handle, transition: "score", score: "7" }],
    ["no score", { orgId: "acme", handle, transition: "score" }],
    ["an assessment without a name", { orgId: "acme", handle, transition: "assess", assessment: {} }],
    ["no organisation", { handle, transition: "verify" }],
    ["nothing", {}],
  ])("refuses %s", async (_what, input) => {
    await expect(advance(input)).rejects.toMatchObject({ name: "invalid_request" });
    expect(table.calls()).toHaveLength(0);
  });

  test.each(["", "staged_", "cand_1", "whe_1", `STAGED_${"0".repeat(26)}`])(
    "does not find a candidate by a malformed handle: %j",
    async (handleOfNone) => {
      await expect(
        advance({ orgId: "acme", handle: handleOfNone, transition: "verify" }),
      ).rejects.toMatchObject({ name: "not_found" });
    },
  );

  test("reports an outage to the platform", async () => {
    table
      .on(GetCommand)
      .rejects(new InternalServerError({ message: "outage", $metadata: { httpStatusCode: 500 } }));

    await expect(advance({ orgId: "acme", handle, transition: "verify" })).rejects.toThrow("outage");
  });
});

describe("recover-events", () => {
  const ids = { orgId: "acme", endpointId: newEndpointId(runtime), recoveryId: newRecoveryId(runtime) };
  const message = {
    messageId: "message-1",
    body: JSON.stringify(ids),
    attributes: { ApproximateReceiveCount: "1", SentTimestamp: "0" },
  };
  const recover = async () => {
    const { handler } = await import("../../functions/events/recover-events.ts");
    return handler({ Records: [message] } as SQSEvent, aLambdaContext);
  };

  test("fails the invocation, which its alarm counts, on a DynamoDB error", async () => {
    const outage = new InternalServerError({ message: "outage", $metadata: { httpStatusCode: 500 } });
    table.on(GetCommand).rejects(outage);
    await expect(recover()).rejects.toBe(outage);
  });

  test("removes the message of a recovery that has ended", async () => {
    await expect(recover()).resolves.toEqual({ batchItemFailures: [] });
  });
});
