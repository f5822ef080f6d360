import { randomUUID } from "node:crypto";
import type { APIGatewayProxyEvent, Context } from "aws-lambda";
import { A_HANDLE_KEY } from "./organisation.ts";

interface RequestParts {
  readonly body?: unknown;
  readonly id?: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly query?: Readonly<Record<string, string[]>>;
  readonly orgId?: string;
}

/** What API Gateway hands to an operation's function, its authorizer's response included. */
export function aProxyEvent({
  body,
  id,
  headers = {},
  query,
  orgId = "acme",
}: RequestParts): APIGatewayProxyEvent {
  const text = typeof body === "string" ? body : JSON.stringify(body);
  const event: Partial<APIGatewayProxyEvent> = {
    body: text === undefined ? null : Buffer.from(text).toString("base64"),
    headers,
    isBase64Encoded: text !== undefined,
    pathParameters: id === undefined ? null : { id },
    multiValueQueryStringParameters: query ?? null,
    requestContext: {
      requestId: randomUUID(),
      authorizer: { orgId, keyId: "key_test", handleKey: A_HANDLE_KEY },
    } as unknown as APIGatewayProxyEvent["requestContext"],
  };
  return event as APIGatewayProxyEvent;
}

/** The body that a caller sent, which API Gateway hands over in base64 (docs/decisions/0029). */
export function bodyOf({
  body,
  isBase64Encoded,
}: Partial<Pick<APIGatewayProxyEvent, "body" | "isBase64Encoded">>): string {
  return Buffer.from(body ?? "", isBase64Encoded ? "base64" : "utf8").toString("utf8");
}

/** What Lambda hands to a function beside its event. */
export const aLambdaContext = {
  functionName: "test",
  functionVersion: "$LATEST",
  invokedFunctionArn: "arn:aws:lambda:eu-west-1:123456789012:function:test",
  memoryLimitInMB: "128",
  awsRequestId: "00000000-0000-0000-0000-000000000000",
  logGroupName: "",
  logStreamName: "",
  callbackWaitsForEmptyEventLoop: true,
  getRemainingTimeInMillis: () => 25_000,
  done: () => {},
  fail: () => {},
  succeed: () => {},
} satisfies Context;
