import type { MiddlewareObj } from "@middy/core";
import type { APIGatewayProxyEvent } from "aws-lambda";
import { Unauthorized } from "#contract/errors";
import { API_KEY_HEADER, headerOf } from "#runtime/request-header";

/**
 * Refuses a request with a second API key, because other parts of the gateway might read the other one: the authorizer
 * does not see it if its result for one of them is cached. Removes the key from the event, so that the code behind the
 * authorizer cannot log it.
 */
export function oneApiKey(): MiddlewareObj<APIGatewayProxyEvent> {
  return {
    before: ({ event }) => {
      const isRepeated = headerOf(event, API_KEY_HEADER)?.includes(",");
      for (const headers of [event.headers, event.multiValueHeaders]) {
        for (const name in headers) if (name.toLowerCase() === API_KEY_HEADER) delete headers[name];
      }
      if (isRepeated) throw new Unauthorized();
    },
  };
}
