import {
  DynamoDBServiceException,
  InternalServerError,
  ProvisionedThroughputExceededException,
  RequestLimitExceeded,
  ResourceNotFoundException,
  ThrottlingException,
} from "@aws-sdk/client-dynamodb";
import { DynamoDBDocumentClient, PutCommand, UpdateCommand } from "@aws-sdk/lib-dynamodb";
import type { APIGatewayProxyEvent, APIGatewayProxyResult } from "aws-lambda";
import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import { digestOf, stagedIdOf } from "#candidates/handles";
import { mockedClient } from "../builders/mocked-client.ts";
import { ACME } from "../builders/organisation.ts";
import { aLambdaContext, aProxyEvent } from "../builders/proxy-event.ts";
import { aFullSubmission } from "../builders/submission.ts";

const table = mockedClient(DynamoDBDocumentClient);

/** What is wrong with the store, as the SDK throws it once its own repeats are used up. */
const passing: readonly (readonly [string, Error])[] = [
  ["throttling of the table", new ProvisionedThroughputExceededException(fault(400, "Throughput exceeded"))],
  ["throttling", new ThrottlingException(fault(400, "Rate exceeded"))],
  ["the account's limit", new RequestLimitExceeded(fault(400, "Too many requests"))],
  ["an internal error", new InternalServerError(fault(500, "Internal server error"))],
  [
    "a 503",
    new DynamoDBServiceException({ name: "ServiceUnavailable", $fault: "server", ...fault(503, "") }),
  ],
  ["a timeout", Object.assign(new Error("socket timed out"), { name: "TimeoutError" })],
  [
    "a connection that breaks",
    Object.assign(new Error("socket hang up"), { code: "ECONNRESET", name: "Error" }),
  ],
  ["a connection refused", Object.assign(new Error("connect"), { code: "ECONNREFUSED", name: "Error" })],
];
const lasting: readonly (readonly [string, Error])[] = [
  ["a table that is not there", new ResourceNotFoundException(fault(400, "canary: no table"))],
  [
    "a right that is missing",
    new DynamoDBServiceException({
      name: "AccessDeniedException",
      $fault: "client",
      ...fault(400, "canary: denied"),
    }),
  ],
  [
    "a request that DynamoDB does not understand",
    new DynamoDBServiceException({
      name: "ValidationException",
      $fault: "client",
      ...fault(400, "canary: invalid"),
    }),
  ],
  ["a fault of our own", new TypeError("canary: x is not a function")],
];

const submission = aFullSubmission({ summary: "canary: personal" });
const handle = stagedIdOf(digestOf(ACME, submission.externalId));
const operations: readonly (readonly [string, APIGatewayProxyEvent])[] = [
  ["create-candidate", aProxyEvent({ body: submission })],
  ["find-candidate", aProxyEvent({ query: { externalId: [submission.externalId] } })],
  ["get-candidate", aProxyEvent({ id: handle })],
  ["amend-candidate", aProxyEvent({ id: handle, body: { summary: "canary: personal", tags: undefined } })],
];

const logged: string[] = [];

beforeEach(() => {
  for (const level of ["debug", "info", "warn", "error", "log"] as const) {
    vi.spyOn(console, level).mockImplementation((...lines) => void logged.push(lines.map(String).join(" ")));
  }
  logged.length = 0;
  table.reset();
});

afterEach(() => {
  vi.restoreAllMocks();
});

describe.each(operations)("%s on a DynamoDB error", (name, event) => {
  test.each(passing)("responds to %s with a 503 and Retry-After", async (_what, error) => {
    table.onAnyCommand().rejects(error);

    const response = await call(name, event);

    expect(response.statusCode).toBe(503);
    expect(envelopeOf(response).error).toBe("service_unavailable");
    expect(Number(response.headers?.["Retry-After"])).toBeGreaterThan(0);
  });

  test.each(lasting)("responds to %s with a 500 that does not disclose the error", async (_what, error) => {
    table.onAnyCommand().rejects(error);

    const response = await call(name, event);

    expect(response.statusCode).toBe(500);
    expect(envelopeOf(response).error).toBe("internal_error");
    expect(response.body).not.toMatch(/canary|candidates/);
  });

  test("logs the error's cause and the request id, and no data of the candidate", async () => {
    table.onAnyCommand().rejects(new ResourceNotFoundException(fault(400, "no table")));

    await call(name, event);

    const lines = logged.join("\n");
    expect(lines).toContain("ResourceNotFoundException");
    expect(lines).toContain(event.requestContext.requestId);
    expect(lines).not.toMatch(/canary|ada@example\.com|Lovelace/);
    expect(lines).not.toContain(submission.externalId);
  });
});

test.each(["find-candidate", "get-candidate"])(
  "%s logs the handle of a candidate whose item is damaged, and nothing in it",
  async (name) => {
    const [, event] = operations.find(([each]) => each === name) ?? [];
    if (!event) throw new Error(`There is no request for ${name}.`);
    const damaged = { itemVersion: 1, status: "received", headline: Buffer.from("canary: not JSON") };
    table.onAnyCommand().resolves({ Item: damaged });

    const response = await call(name, event);

    expect(response.statusCode).toBe(500);
    const lines = logged.join("\n");
    expect(lines.match(new RegExp(handle, "g"))).toHaveLength(2);
    expect(lines).not.toContain("canary");
  },
);

describe("a write that fails with a DynamoDB error", () => {
  test.each([...passing, ...lasting])(
    "sends at most one conditional write, so that nothing is half done: %s",
    async (_what, error) => {
      table.onAnyCommand().rejects(error);

      for (const [name, event] of operations) {
        table.resetHistory();
        await call(name, event);

        // What becomes visible is one conditional write, and after it nothing is tried.
        const writes = table.calls().filter(({ args: [{ input }] }) => !("ConsistentRead" in input));
        const isRead = name === "get-candidate" || name === "find-candidate";
        expect(writes).toHaveLength(isRead ? 0 : 1);
        for (const { args } of writes) {
          expect(args[0]).toSatisfy(
            (command) => command instanceof PutCommand || command instanceof UpdateCommand,
          );
          expect(args[0].input).toHaveProperty("ConditionExpression");
        }
      }
    },
  );
});

function fault(httpStatusCode: number, message: string) {
  return { message, $metadata: { httpStatusCode } };
}

async function call(name: string, event: APIGatewayProxyEvent): Promise<APIGatewayProxyResult> {
  const { handler } = await import(`../../functions/api/${name}.ts`);
  return handler(event, aLambdaContext);
}

function envelopeOf({ body, headers }: APIGatewayProxyResult): { error: string; message: string } {
  const envelope = JSON.parse(body) as Record<string, unknown>;
  expect(envelope).toEqual({ error: expect.any(String), message: expect.any(String) });
  expect(headers).toMatchObject({
    "Content-Type": "application/json",
    "Cache-Control": "no-store",
    "X-Content-Type-Options": "nosniff",
    "X-Request-Id": expect.any(String),
  });
  return envelope as { error: string; message: string };
}
