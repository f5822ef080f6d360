import type { APIGatewayProxyResult } from "aws-lambda";
import { describe, expect, test } from "vitest";
import { NotFound } from "#contract/errors";
import { ok } from "#http/answers";
import { operation } from "#http/operation";
import { aLambdaContext, aProxyEvent } from "../builders/proxy-event.ts";
import { capturedLogs } from "../webhooks/logs.ts";

const logs = capturedLogs();

const echo = operation({
  operationId: "echo",
  run: async ({ orgId, header }) =>
    ok({ orgId, key: header("x-api-key") ?? "unseen", agent: header("user-agent") ?? "none" }),
});

const call = async (event: ReturnType<typeof aProxyEvent>): Promise<APIGatewayProxyResult> =>
  echo(event, aLambdaContext);

describe("an operation", () => {
  test.each(["X-API-Key", "x-api-key", "X-Api-KEY"])("never sees the caller's key in %s", async (name) => {
    const event = aProxyEvent({ headers: { [name]: "rr_dev_secret", "User-Agent": "a client" } });

    const { statusCode, body } = await call(event);

    expect(statusCode).toBe(200);
    expect(JSON.parse(body)).toEqual({ orgId: "acme", key: "unseen", agent: "a client" });
    expect(JSON.stringify(event)).not.toContain("rr_dev_secret");
  });

  test("that no authorizer has let through is a fault, not an organisation named undefined", async () => {
    const event = aProxyEvent({});
    event.requestContext.authorizer = null;

    const { statusCode, body } = await call(event);

    expect(statusCode).toBe(500);
    expect(JSON.parse(body)).toMatchObject({ error: "internal_error" });
  });

  test.each([
    ["that is answered", ok({}), 200, "ok"],
    ["that is refused", new NotFound("Nothing has this handle."), 404, "not_found"],
    ["that fails", new Error("outage"), 500, "internal_error"],
  ])(
    "%s leaves one line that tells who called what, and how it ended",
    async (_what, end, statusCode, outcome) => {
      const handler = operation({
        operationId: "getCandidate",
        run: async () => {
          if (end instanceof Error) throw end;
          return end;
        },
      });
      const event = aProxyEvent({ id: "ada@example.com" });

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
          operationId: "getCandidate",
          statusCode,
          outcome,
          durationMs: expect.any(Number),
        }),
      ]);
      expect(logs.text()).not.toContain("ada@example.com");
    },
  );
});
