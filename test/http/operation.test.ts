import type { APIGatewayProxyResult } from "aws-lambda";
import { describe, expect, test } from "vitest";
import { ok } from "#http/answers";
import { operation } from "#http/operation";
import { aLambdaContext, aProxyEvent } from "../builders/proxy-event.ts";

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
});
