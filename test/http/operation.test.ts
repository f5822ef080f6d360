import { inspect } from "node:util";
import type { APIGatewayProxyResult } from "aws-lambda";
import { describe, expect, test } from "vitest";
import { logger } from "#aws/logger";
import { NotFound } from "#contract/errors";
import { ok } from "#http/answers";
import { operation } from "#http/operation";
import { A_HANDLE_KEY } from "../builders/organisation.ts";
import { aLambdaContext, aProxyEvent } from "../builders/proxy-event.ts";
import { capturedLogs } from "../webhooks/logs.ts";

const logs = capturedLogs();

const echo = operation({
  operationId: "echo",
  run: async ({ organisation: { orgId }, header }) =>
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

  test.each([
    ["no authorizer has let through", null],
    ["an authorizer has let through without a handle key", { orgId: "acme", keyId: "key_test" }],
    [
      "an authorizer has let through with a part of a handle key",
      { orgId: "acme", keyId: "key_test", handleKey: A_HANDLE_KEY.slice(1) },
    ],
  ])("that %s is a fault, and says nothing of the key", async (_what, authorizer) => {
    const event = aProxyEvent({});
    event.requestContext.authorizer = authorizer;

    const { statusCode, body } = await call(event);

    expect(statusCode).toBe(500);
    expect(JSON.parse(body)).toMatchObject({ error: "internal_error" });
    expect(logs.text()).toContain("The authorizer names no organisation with its handle key.");
    expect(body + logs.text()).not.toContain(A_HANDLE_KEY.slice(1));
  });

  test("can log its organisation without telling the handle key", async () => {
    const handler = operation({
      operationId: "echo",
      run: async ({ organisation }) => {
        logger.info("an organisation", { organisation });
        throw new Error(`failed for ${inspect(organisation)} ${JSON.stringify(organisation)}`);
      },
    });

    await handler(aProxyEvent({}), aLambdaContext);

    expect(logs.text()).toContain("an organisation");
    expect(logs.text()).not.toContain(A_HANDLE_KEY);
    expect(logs.text()).not.toContain(Buffer.from(A_HANDLE_KEY, "base64url").toString("hex"));
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
