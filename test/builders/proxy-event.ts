import { randomUUID } from "node:crypto";
import type { APIGatewayProxyEvent, Context } from "aws-lambda";

interface RequestParts {
  readonly body?: unknown;
  readonly id?: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly query?: Readonly<Record<string, string[]>>;
  readonly orgId?: string;
}

/** What API Gateway hands to an operation's function, its authorizer's answer included. */
export function aProxyEvent({
  body,
  id,
  headers = {},
  query,
  orgId = "acme",
}: RequestParts): APIGatewayProxyEvent {
  const event: Partial<APIGatewayProxyEvent> = {
    body: body === undefined ? null : typeof body === "string" ? body : JSON.stringify(body),
    headers,
    isBase64Encoded: false,
    pathParameters: id === undefined ? null : { id },
    multiValueQueryStringParameters: query ?? null,
    requestContext: {
      requestId: randomUUID(),
      authorizer: { orgId, keyId: "key_test" },
    } as unknown as APIGatewayProxyEvent["requestContext"],
  };
  return event as APIGatewayProxyEvent;
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
  getRemainingTimeInMillis: () => 10_000,
  done: () => {},
  fail: () => {},
  succeed: () => {},
} satisfies Context;
