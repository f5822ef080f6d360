import type { APIGatewayProxyEvent } from "aws-lambda";

/** The value of a request header. API Gateway keeps the name in the case that the caller sent. */
export function headerOf(event: APIGatewayProxyEvent, name: string): string | undefined {
  const found = Object.entries(event.headers ?? {}).find(([key]) => key.toLowerCase() === name);
  return found?.[1];
}
