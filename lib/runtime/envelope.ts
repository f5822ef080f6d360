import type { MiddlewareObj } from "@middy/core";
import type { APIGatewayProxyEvent, APIGatewayProxyResult } from "aws-lambda";
import type { ErrorEnvelope } from "#contract/error-envelope";
import { logger } from "#runtime/logger";
import { serviceErrorOf } from "#runtime/service-error";

/**
 * Adds the headers that every response must have, unless it already has them, and converts thrown errors into the
 * error envelope.
 */
export function envelope(): MiddlewareObj<APIGatewayProxyEvent, APIGatewayProxyResult> {
  return {
    after: ({ event, response }) => {
      if (response) response.headers = { ...commonHeaders(event), ...response.headers };
    },
    onError: (request) => {
      const error = serviceErrorOf(request.error);
      if (error.status >= 500) logger.error(error.code, { cause: error.cause ?? error });
      const body: ErrorEnvelope = { error: error.code, message: error.message };
      request.response = {
        statusCode: error.status,
        headers: {
          "Content-Type": "application/json",
          ...commonHeaders(request.event),
          ...error.headers,
        },
        body: JSON.stringify(body),
      };
    },
  };
}

/** `nosniff` keeps browsers from reading JSON as a page or a script (OWASP REST Security Cheat Sheet). */
function commonHeaders({ requestContext }: APIGatewayProxyEvent) {
  return {
    "X-Request-Id": requestContext.requestId,
    "Cache-Control": "no-store",
    "X-Content-Type-Options": "nosniff",
  };
}
