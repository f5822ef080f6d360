import type { MiddlewareObj } from "@middy/core";
import type { APIGatewayProxyEvent, APIGatewayProxyResult } from "aws-lambda";
import { logger } from "#aws/logger";

/** One line per request: who called what, how it ended and how long it took (ms). No path, query or body. */
export function requestLog(operationId: string): MiddlewareObj<APIGatewayProxyEvent, APIGatewayProxyResult> {
  let startedAt = 0;
  const finish = ({ response }: { response: APIGatewayProxyResult | null | undefined }) => {
    logger.info("request", {
      statusCode: response?.statusCode,
      durationMs: Math.round(performance.now() - startedAt),
    });
    logger.resetKeys();
  };
  return {
    before: ({ event, context }) => {
      startedAt = performance.now();
      const { authorizer, requestId } = event.requestContext;
      logger.addContext(context);
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
