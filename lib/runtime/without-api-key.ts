import type { MiddlewareObj } from "@middy/core";
import type { APIGatewayProxyEvent } from "aws-lambda";

/** Removes the API key from the event, so that the code behind the authorizer cannot log it. */
export function withoutApiKey(): MiddlewareObj<APIGatewayProxyEvent> {
  return {
    before: ({ event }) => {
      event.headers = without(event.headers);
      event.multiValueHeaders = without(event.multiValueHeaders);
    },
  };
}

function without<Value>(headers: Record<string, Value> | null): Record<string, Value> {
  return Object.fromEntries(
    Object.entries(headers ?? {}).filter(([name]) => name.toLowerCase() !== "x-api-key"),
  );
}
