import type { MiddlewareObj } from "@middy/core";
import type { APIGatewayProxyEvent, APIGatewayProxyResult } from "aws-lambda";
import type { ErrorEnvelope } from "#contract/error-envelope";
import { logger } from "#runtime/logger";

/**
 * One line per request: caller, operation, outcome and duration (ms). No path, query or body.
 * `outcome` is `ok` or the error code of the response.
 */
export function requestLog(operationId: string): MiddlewareObj<APIGatewayProxyEvent, APIGatewayProxyResult> {
  let startedAt = 0;
  const finish = ({ response }: { response: APIGatewayProxyResult | null | undefined }) => {
    logger.info("request", {
      statusCode: response?.statusCode,
      outcome: outcomeOf(response),
      durationMs: Math.round(performance.now() - startedAt),
    });
    logger.resetKeys();
  };
  return {
    before: ({ event }) => {
      startedAt = performance.now();
      const { authorizer, requestId } = event.requestContext;
      logger.appendKeys({
        operationId,
        requestId,
        orgId: authorizer?.["orgId"],
        keyId: authorizer?.["keyId"],
      });
    },
    after: finish,
    onError: finish,
  };
}

function outcomeOf(response: APIGatewayProxyResult | null | undefined): string {
  if (!response || response.statusCode < 400) return "ok";
  return (JSON.parse(response.body) as ErrorEnvelope).error;
}
