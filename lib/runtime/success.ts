import type { APIGatewayProxyResult } from "aws-lambda";
import { WithHeaders } from "#contract/with-headers";

/** The response for an operation's result: a body, a body with headers, or nothing. */
export function success(statusCode: number, result: unknown): APIGatewayProxyResult {
  if (result === undefined) return empty(statusCode);
  const { body, headers } = result instanceof WithHeaders ? result : { body: result, headers: {} };
  return {
    statusCode,
    headers: { "Content-Type": "application/json", ...headers },
    body: JSON.stringify(body),
  };
}

/**
 * API Gateway adds `Content-Type: application/json` to a response that has none, unless the function returns
 * null for it, as AWS's library for .NET does (aws-lambda-dotnet, `APIGatewayProxyFunction`). The types do not allow
 * null.
 */
function empty(statusCode: number): APIGatewayProxyResult {
  return { statusCode, multiValueHeaders: { "Content-Type": [null as unknown as string] }, body: "" };
}
