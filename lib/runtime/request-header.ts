import type { APIGatewayProxyEvent } from "aws-lambda";

/** The value of a request header: API Gateway keeps the case in which the caller sent its name. */
export function headerOf(event: APIGatewayProxyEvent, name: string): string | undefined {
  const found = Object.entries(event.headers ?? {}).find(([key]) => key.toLowerCase() === name);
  return found?.[1];
}
