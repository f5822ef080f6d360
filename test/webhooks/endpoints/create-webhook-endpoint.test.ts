import { TransactionCanceledException } from "@aws-sdk/client-dynamodb";
import {
  GetSecretValueCommand,
  InternalServiceError,
  SecretsManagerClient,
} from "@aws-sdk/client-secrets-manager";
import { DynamoDBDocumentClient, TransactWriteCommand } from "@aws-sdk/lib-dynamodb";
import { beforeEach, describe, expect, test } from "vitest";
import { documentClient } from "#runtime/dynamodb";
import { runtime } from "#runtime/runtime";
import { secretsManagerClient } from "#runtime/secrets-manager";
import { createWebhookEndpoint } from "../../../functions/api/create-webhook-endpoint.ts";
import { capturedLogs } from "../../builders/captured-logs.ts";
import { mockedClient } from "../../builders/mocked-client.ts";
import { aLambdaContext, aProxyEvent } from "../../builders/proxy-event.ts";

const table = mockedClient(DynamoDBDocumentClient);
const secrets = mockedClient(SecretsManagerClient);
const logs = capturedLogs();

beforeEach(() => {
  for (const client of [table, secrets]) client.reset();
  table.on(TransactWriteCommand).resolves({});
  secrets
    .on(GetSecretValueCommand)
    .resolves({ SecretString: JSON.stringify({ current: "1", "1": "generated" }) });
});

describe("create-webhook-endpoint", () => {
  /** In an environment of its own, which has read no keyring yet. */
  const create = async (body: object) =>
    createWebhookEndpoint({ ...runtime, documentClient, secretsManagerClient })(
      aProxyEvent({ body }),
      aLambdaContext,
    );
  const registration = { url: "https://receiver.example.com/", eventTypes: ["candidate.received"] };
  const written = () => JSON.stringify(table.commandCalls(TransactWriteCommand)[0]?.args[0].input);

  test("returns the signing secret once and stores it sealed", async () => {
    const response = await create(registration);

    const endpoint = JSON.parse(response.body);
    expect(response.statusCode).toBe(201);
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

  test.each([
    ["url", { url: "https://10.0.0.1/", eventTypes: ["zq"], more: 1 }],
    ["eventTypes", { eventTypes: ["zq"], url: "https://10.0.0.1/", more: 1 }],
  ])(
    "names a url that cannot be delivered to beside other problems, in the order of the body: %s first",
    async (_first, body) => {
      const response = await create(body);

      const problems = {
        url: "url: a public host is expected",
        eventTypes: expect.stringMatching(/^eventTypes\[0\]: one of /),
        more: expect.stringMatching(/^more: /),
      };
      expect(response.statusCode).toBe(400);
      expect(JSON.parse(response.body).message.split("; ")).toEqual(
        Object.keys(body).map((member) => problems[member as keyof typeof problems]),
      );
      expect(table.commandCalls(TransactWriteCommand)).toHaveLength(0);
    },
  );

  test("keeps a repeated event type once", async () => {
    const response = await create({
      ...registration,
      eventTypes: ["candidate.erased", "candidate.received", "candidate.erased"],
    });

    expect(JSON.parse(response.body).eventTypes).toEqual(["candidate.erased", "candidate.received"]);
  });

  test("subscribes to an extension event beside the contract's", async () => {
    const eventTypes = ["candidate.consent_revoked", "candidate.consent_restored"];

    const response = await create({ ...registration, eventTypes });

    expect(response.statusCode).toBe(201);
    expect(JSON.parse(response.body).eventTypes).toEqual(eventTypes);
  });

  test.each([
    ["a private address", { ...registration, url: "https://10.0.0.1/" }],
    ["http", { ...registration, url: "http://receiver.example.com/" }],
    ["an unknown event type", { ...registration, eventTypes: ["candidate.unknown"] }],
    ["no event type", { ...registration, eventTypes: [] }],
    ["an unknown member", { ...registration, active: false }],
    ["a description that is too long", { ...registration, description: "x".repeat(501) }],
  ])("refuses %s and registers nothing", async (_what, body) => {
    const response = await create(body);

    expect(response.statusCode).toBe(400);
    expect(JSON.parse(response.body).error).toBe("invalid_request");
    expect(table.calls()).toHaveLength(0);
  });

  test("registers nothing if the keyring cannot be read, and returns Retry-After", async () => {
    secrets
      .on(GetSecretValueCommand)
      .rejects(new InternalServiceError({ message: "outage", $metadata: { httpStatusCode: 500 } }));

    const response = await create(registration);

    expect(response.statusCode).toBe(503);
    expect(response.headers?.["Retry-After"]).toBeDefined();
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

    const response = await create(registration);

    expect(response.statusCode).toBe(400);
    expect(JSON.parse(response.body)).toEqual({
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
