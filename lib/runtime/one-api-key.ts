import type { MiddlewareObj } from "@middy/core";
import type { APIGatewayProxyEvent } from "aws-lambda";
import { Unauthorized } from "#contract/errors";
import { headerOf } from "#runtime/request-header";

/** The name of the header, in lower case. */
const API_KEY = "x-api-key";

/**
 * Refuses a request with a second API key, because other parts of the gateway might read the other one: the authorizer
 * does not see it if its result for one of them is cached. Removes the key from the event, so that the code behind the
 * authorizer cannot log it.
 */
export function oneApiKey(): MiddlewareObj<APIGatewayProxyEvent> {
  return {
    before: ({ event }) => {
      const isRepeated = headerOf(event, API_KEY)?.includes(",");
      for (const headers of [event.headers, event.multiValueHeaders]) {
        for (const name in headers) if (name.toLowerCase() === API_KEY) delete headers[name];
      }
      if (isRepeated) throw new Unauthorized();
    },
  };
}
