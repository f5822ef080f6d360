import { setImmediate } from "node:timers/promises";
import { DynamoDBDocumentClient, UpdateCommand } from "@aws-sdk/lib-dynamodb";
import type { APIGatewayRequestAuthorizerEvent } from "aws-lambda";
import { beforeEach, expect, test, vi } from "vitest";
import { generateApiKey, hashOf, keyIdOf } from "#api-keys/api-key";
import { documentClient } from "#runtime/dynamodb";
import { runtime } from "#runtime/runtime";
import { authorizeRequest } from "../../functions/api/authorize-request.ts";
import { capturedLogs } from "../builders/captured-logs.ts";
import { mockedClient } from "../builders/mocked-client.ts";
import { A_HANDLE_KEY } from "../builders/organisation.ts";
import { aLambdaContext } from "../builders/proxy-event.ts";

const table = mockedClient(DynamoDBDocumentClient);
const logs = capturedLogs();
const variables = { ...runtime.variables, ENVIRONMENT: "production" };
const handler = authorizeRequest({ ...runtime, documentClient, variables });
const METHOD_ARN = "arn:aws:execute-api:eu-west-1:123456789012:abc/production/GET/v1/candidates";

beforeEach(() => {
  table.reset();
});

async function authorize(headers: Record<string, string> | null) {
  const event: Partial<APIGatewayRequestAuthorizerEvent> = { headers, methodArn: METHOD_ARN };
  return handler(event as APIGatewayRequestAuthorizerEvent, aLambdaContext);
}

function storing(key: string, changes: object = {}) {
  const hash = hashOf(key);
  const Item = {
    keyId: keyIdOf(hash),
    orgId: "acme",
    name: "test",
    createdAt: "2026-01-01T00:00:00.000Z",
    hash,
    handleKey: A_HANDLE_KEY,
    ...changes,
  };
  table.onAnyCommand().resolves({ Item });
}

test("a development key is refused in production without a read of the table", async () => {
  const key = generateApiKey("development");
  storing(key);

  await expect(authorize({ "X-API-Key": key })).rejects.toThrow(/^Unauthorized$/);
  expect(table.calls()).toHaveLength(0);
});

test.each(["X-API-Key", "x-api-key", "X-Api-Key"])(
  "a valid API key gives access to every route, in the header %s",
  async (name) => {
    const key = generateApiKey("production");
    storing(key);

    const { policyDocument, context } = await authorize({ [name]: key });

    expect(policyDocument.Statement).toEqual([
      {
        Effect: "Allow",
        Action: "execute-api:Invoke",
        Resource: "arn:aws:execute-api:eu-west-1:123456789012:abc/production/*",
      },
    ]);
    expect(context).toEqual({ orgId: "acme", keyId: keyIdOf(hashOf(key)), handleKey: A_HANDLE_KEY });
    expect(logs.text()).not.toContain(A_HANDLE_KEY);
  },
);

test.each([
  [null],
  [{}],
  [{ "X-API-Key": "" }],
  [{ "X-API-Key": "rr_live_x" }],
  [{ Authorization: "Bearer x" }],
])("a request with the headers %j gets a 401, not a 403", async (headers) => {
  await expect(authorize(headers)).rejects.toThrow(/^Unauthorized$/);
});

test("a valid API key is accepted although its last-used time cannot be recorded", async () => {
  const key = generateApiKey("production");
  storing(key);
  table.on(UpdateCommand).rejects(new Error("throttled"));

  await expect(authorize({ "X-API-Key": key })).resolves.toMatchObject({ context: { orgId: "acme" } });
  expect(JSON.parse(logs.text())).toMatchObject({
    level: "WARN",
    message: "the key's use could not be recorded",
    keyId: keyIdOf(hashOf(key)),
    cause: { message: "throttled" },
  });
  expect(logs.text()).not.toContain(A_HANDLE_KEY);
});

test("a request is authorized only after the use of its API key is recorded: Lambda may freeze what follows", async () => {
  const key = generateApiKey("production");
  storing(key);
  const recording = Promise.withResolvers<object>();
  table.on(UpdateCommand).callsFake(() => recording.promise);
  const done: string[] = [];

  const authorizing = authorize({ "X-API-Key": key }).then(() => done.push("authorized"));
  await vi.waitFor(() => expect(table.commandCalls(UpdateCommand)).toHaveLength(1));
  await setImmediate();
  done.push("recorded");
  recording.resolve({});
  await authorizing;

  expect(done).toEqual(["recorded", "authorized"]);
});

test("a key whose item has no handle key is a fault, not a 401, and the log names the key", async () => {
  const key = generateApiKey("production");
  storing(key, { handleKey: undefined });

  await expect(authorize({ "X-API-Key": key })).rejects.toThrow(/cannot be read/);

  expect(JSON.parse(logs.text())).toMatchObject({
    level: "ERROR",
    message: "authorization failed",
    cause: {
      message: `The item of the key ${keyIdOf(hashOf(key))} cannot be read.`,
      cause: { message: expect.stringContaining("handleKey") },
    },
  });
  expect(logs.text()).not.toContain(key);
});
