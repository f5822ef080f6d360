import type { APIGatewayProxyEvent } from "aws-lambda";
import { expect, test } from "vitest";
import { runtime } from "#runtime/runtime";
import { refuseMethod } from "../../functions/api/refuse-method.ts";
import { capturedLogs } from "../builders/captured-logs.ts";
import { aLambdaContext, aProxyEvent } from "../builders/proxy-event.ts";

const variables = { OFFERED_METHODS: JSON.stringify({ "/v1/candidates": ["GET", "POST"] }) };
const handler = refuseMethod({ ...runtime, variables });
const logs = capturedLogs();

/** What a method that the path does not offer gets. */
const refused = (headers: Partial<APIGatewayProxyEvent>) =>
  handler({ ...aProxyEvent({}), ...headers, resource: "/v1/candidates" }, aLambdaContext);

test("a method that a path does not offer is logged as a request, with its caller", async () => {
  const { statusCode, headers } = await refused({});

  expect([statusCode, headers?.["Allow"]]).toEqual([405, "GET, POST"]);
  expect(JSON.parse(logs.text())).toMatchObject({
    message: "request",
    operationId: "refuseMethod",
    requestId: headers?.["X-Request-Id"],
    orgId: "acme",
    keyId: "key_test",
    outcome: "method_not_allowed",
  });
});

test("a method that a path does not offer is a 401 with two API keys", async () => {
  expect(await refused({ multiValueHeaders: { "X-API-Key": ["a", "b"] } })).toMatchObject({
    statusCode: 401,
  });
});
