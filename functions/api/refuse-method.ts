import type { APIGatewayProxyEvent, APIGatewayProxyResult } from "aws-lambda";
import * as z from "zod/mini";
import { ERROR_STATUS, type ErrorEnvelope } from "#contract/errors";
import { envelope } from "#runtime/envelope";
import { readEnvironment } from "#runtime/environment";
import { lambdaHandler } from "#runtime/lambda-handler";
import { oneApiKey } from "#runtime/one-api-key";
import { requestLog } from "#runtime/request-log";
import { type Runtime, runtime } from "#runtime/runtime";

/** The methods that each path offers, by path, for example `/v1/candidates/{id}`. */
const OfferedMethods = z.record(z.string(), z.array(z.string()));

/**
 * Responds with 405 to a method that the path does not offer, whatever the body, and lists the methods that the path
 * offers (RFC 9110, 15.5.6).
 */
export const refuseMethod = (dependencies: Runtime) => {
  const { OFFERED_METHODS } = readEnvironment({ OFFERED_METHODS: z.string() }, dependencies.variables);
  const offered = OfferedMethods.parse(JSON.parse(OFFERED_METHODS));
  return lambdaHandler<APIGatewayProxyEvent, APIGatewayProxyResult>()
    .use(requestLog("refuseMethod"))
    .use(oneApiKey())
    .use(envelope())
    .handler(async ({ resource }) => {
      const allow = (offered[resource] ?? []).join(", ");
      const body: ErrorEnvelope = { error: "method_not_allowed", message: `This path supports ${allow}.` };
      return {
        statusCode: ERROR_STATUS.method_not_allowed,
        headers: { "Content-Type": "application/json", Allow: allow },
        body: JSON.stringify(body),
      };
    });
};

export const handler = refuseMethod(runtime);
