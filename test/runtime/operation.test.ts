import { inspect } from "node:util";
import type { APIGatewayProxyResult } from "aws-lambda";
import { describe, expect, expectTypeOf, onTestFinished, test, vi } from "vitest";
import * as z from "zod/mini";
import { NotFound } from "#contract/errors";
import type { OperationDefinition } from "#contract/operation-definition";
import { WithHeaders } from "#contract/with-headers";
import { logger } from "#runtime/logger";
import { operation } from "#runtime/operation";
import { capturedLogs } from "../builders/captured-logs.ts";
import { A_HANDLE_KEY } from "../builders/organisation.ts";
import { aLambdaContext, aProxyEvent } from "../builders/proxy-event.ts";

const logs = capturedLogs();

const definition = {
  operationId: "echo",
  method: "GET",
  path: "/v1/echo",
  summary: "Echo",
  status: 200,
  response: z.object({ orgId: z.string(), key: z.string(), agent: z.string() }),
  errors: [],
} as const satisfies OperationDefinition;

const echo = operation(definition, async ({ organisation: { orgId }, header }) => ({
  orgId,
  key: header("x-api-key") ?? "unseen",
  agent: header("user-agent") ?? "none",
}));

const call = async (event: ReturnType<typeof aProxyEvent>): Promise<APIGatewayProxyResult> =>
  echo(event, aLambdaContext);

describe("an operation", () => {
  test.each(["X-API-Key", "x-api-key", "X-Api-KEY"])(
    "never receives the caller's API key in %s",
    async (name) => {
      const headers = { [name]: "rr_dev_secret", "User-Agent": "a client" };
      const event = { ...aProxyEvent({ headers }), multiValueHeaders: { [name]: ["rr_dev_secret"] } };

      const { statusCode, body } = await call(event);

      expect(statusCode).toBe(200);
      expect(JSON.parse(body)).toEqual({ orgId: "acme", key: "unseen", agent: "a client" });
      expect(JSON.stringify(event)).not.toContain("rr_dev_secret");
    },
  );

  test.each([
    ["no authorizer has let through", null],
    ["an authorizer has let through without a handle key", { orgId: "acme", keyId: "key_test" }],
    [
      "an authorizer has let through with a part of a handle key",
      { orgId: "acme", keyId: "key_test", handleKey: A_HANDLE_KEY.slice(1) },
    ],
  ])("that %s fails with a 500 and does not disclose the handle key", async (_what, authorizer) => {
    const event = aProxyEvent({});
    event.requestContext.authorizer = authorizer;

    const { statusCode, body } = await call(event);

    expect(statusCode).toBe(500);
    expect(JSON.parse(body)).toMatchObject({ error: "internal_error" });
    expect(logs.text()).toContain("The authorizer has named no organisation.");
    expect(body + logs.text()).not.toContain(A_HANDLE_KEY.slice(1));
  });

  test("can log its organisation without the handle key", async () => {
    const handler = operation(definition, async ({ organisation }) => {
      logger.info("an organisation", { organisation });
      throw new Error(`failed for ${inspect(organisation)} ${JSON.stringify(organisation)}`);
    });

    await handler(aProxyEvent({}), aLambdaContext);

    expect(logs.text()).toContain("an organisation");
    expect(logs.text()).not.toContain(A_HANDLE_KEY);
    expect(logs.text()).not.toContain(Buffer.from(A_HANDLE_KEY, "base64url").toString("hex"));
  });

  test.each([
    ["that succeeds", undefined, 202, "ok"],
    ["that is refused", new NotFound("Nothing has this handle."), 404, "not_found"],
    ["that fails", new Error("outage"), 500, "internal_error"],
  ])("%s logs one line with caller, operation and outcome", async (_what, end, statusCode, outcome) => {
    const { response: _, ...withoutBody } = definition;
    const handler = operation({ ...withoutBody, status: 202 } as const, async () => {
      if (end) throw end;
    });
    const event = aProxyEvent({ id: "ada@example.com" });
    const clock = vi.spyOn(performance, "now").mockReturnValueOnce(5_000).mockReturnValueOnce(5_012.4);
    onTestFinished(() => clock.mockRestore());

    await handler(event, aLambdaContext);

    const lines = logs
      .text()
      .split(/\n(?=\{)/)
      .map((line) => JSON.parse(line));
    expect(lines.filter(({ message }) => message === "request")).toEqual([
      expect.objectContaining({
        requestId: event.requestContext.requestId,
        orgId: "acme",
        keyId: "key_test",
        operationId: "echo",
        statusCode,
        outcome,
        durationMs: 12,
      }),
    ]);
    expect(logs.text()).not.toContain("ada@example.com");
  });

  test.each([
    ["succeeds", undefined],
    ["is refused", new NotFound("Nothing has this handle.")],
  ])("that %s leaves none of its keys to the log lines after it", async (_what, end) => {
    const { response: _, ...withoutBody } = definition;
    const handler = operation({ ...withoutBody, status: 202 } as const, async () => {
      logger.appendKeys({ stagedId: "staged_1" });
      if (end) throw end;
    });

    await handler(aProxyEvent({}), aLambdaContext);
    logger.info("next");

    const [request, next] = logs.lines().map((line) => JSON.parse(line));
    expect(request).toMatchObject({ message: "request", orgId: "acme", stagedId: "staged_1" });
    expect(next).toMatchObject({ message: "next" });
    for (const key of ["operationId", "requestId", "orgId", "keyId", "stagedId"]) {
      expect(Object.keys(request)).toContain(key);
      expect(Object.keys(next)).not.toContain(key);
    }
  });
});

describe("an operation's definition", () => {
  const { response: _, ...withoutBody } = definition;

  test("gives the handler exactly the parsed path parameters, body and query", async () => {
    const full = {
      ...withoutBody,
      path: "/v1/echo/{id}/of/{eventId}",
      body: z.object({ count: z.number() }),
      query: z.object({ limit: z.pipe(z.string(), z.transform(Number)) }),
      response: z.unknown(),
    } as const;
    const handler = operation(full, async ({ id, eventId, body, query }) => {
      expectTypeOf({ id, eventId, body, query }).toEqualTypeOf<{
        id: string;
        eventId: string;
        body: { count: number };
        query: { limit: number };
      }>();
      return { id, eventId, body, query };
    });
    const event = aProxyEvent({ body: { count: 1 }, query: { limit: ["2"] } });

    const { body } = await handler({ ...event, pathParameters: { id: "a", eventId: "b" } }, aLambdaContext);

    expect(JSON.parse(body)).toEqual({ id: "a", eventId: "b", body: { count: 1 }, query: { limit: 2 } });
    operation(definition, async (call) => {
      expectTypeOf<keyof typeof call>().toEqualTypeOf<"organisation" | "header" | "remainingMs">();
      return { orgId: "", key: "", agent: "" };
    });
  });

  test.each([
    ["a body", { a: 1 }, {}],
    ["a body with headers", new WithHeaders({ a: 1 }, { ETag: '"1"' }), { ETag: '"1"' }],
  ])("sets the status code of a success with %s", async (_what, result, headers) => {
    const handler = operation(
      { ...definition, status: 201, response: z.unknown() } as const,
      async () => result,
    );

    expect(await handler(aProxyEvent({}), aLambdaContext)).toMatchObject({
      statusCode: 201,
      headers: { "Content-Type": "application/json", ...headers },
      body: '{"a":1}',
    });
  });

  test("requires a body only if it declares one", () => {
    // @ts-expect-error The response has three members.
    operation(definition, async () => ({ orgId: "acme" }));
    // @ts-expect-error The response is empty.
    operation({ ...withoutBody, status: 204 } as const, async () => ({ orgId: "acme" }));
  });
});
