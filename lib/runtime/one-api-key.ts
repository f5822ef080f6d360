import type { MiddlewareObj } from "@middy/core";
import type { APIGatewayProxyEvent } from "aws-lambda";
import { Unauthorized } from "#contract/errors";

/**
 * Refuses a request with a second API key, because other parts of the gateway might read the other one: the authorizer
 * does not see it if its result for one of them is cached. Removes the key from the event, so that the code behind the
 * authorizer cannot log it.
 */
export function oneApiKey(): MiddlewareObj<APIGatewayProxyEvent> {
  return {
    before: ({ event }) => {
      const keys = Object.entries(event.multiValueHeaders ?? {})
        .filter(isApiKey)
        .flatMap(([, values = []]) => values);
      event.headers = without(event.headers);
      event.multiValueHeaders = without(event.multiValueHeaders);
      if (keys.length > 1) throw new Unauthorized();
    },
  };
}

function isApiKey([name]: readonly [string, unknown]): boolean {
  return name.toLowerCase() === "x-api-key";
}

function without<Value>(headers: Record<string, Value> | null): Record<string, Value> {
  return Object.fromEntries(Object.entries(headers ?? {}).filter((header) => !isApiKey(header)));
}
