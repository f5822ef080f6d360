import type { MiddlewareObj } from "@middy/core";
import type { APIGatewayProxyEvent, APIGatewayProxyResult } from "aws-lambda";
import { type ErrorEnvelope, InternalError, ServiceError, ServiceUnavailable } from "#contract/errors";
import { isTransientFault } from "#runtime/faults";
import { logger } from "#runtime/logger";

/** The `Retry-After` of a transient fault, in seconds. */
const RETRY_AFTER_SECONDS = 1;

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
      const error = serviceErrorFor(request.error);
      if (error.status >= 500) logger.error(error.code, { cause: error.cause ?? error });
      const body: ErrorEnvelope = { error: error.code, message: error.message };
      request.response = {
        statusCode: error.status,
        headers: {
          "Content-Type": "application/json",
          ...commonHeaders(request.event),
          ...(error instanceof ServiceUnavailable && { "Retry-After": String(RETRY_AFTER_SECONDS) }),
        },
        body: JSON.stringify(body),
      };
    },
  };
}

function commonHeaders(event: APIGatewayProxyEvent) {
  return { "X-Request-Id": event.requestContext.requestId, "Cache-Control": "no-store" };
}

function serviceErrorFor(thrown: unknown): ServiceError {
  if (thrown instanceof ServiceError) return thrown;
  return isTransientFault(thrown)
    ? new ServiceUnavailable({ cause: thrown })
    : new InternalError({ cause: thrown });
}
