import type { APIGatewayAuthorizerResult, APIGatewayRequestAuthorizerEvent } from "aws-lambda";
import { apiKeysOf } from "#api-keys/composition";
import { documentClient, type WithTable } from "#runtime/dynamodb";
import { lambdaHandler } from "#runtime/lambda-handler";
import { logger } from "#runtime/logger";
import { API_KEY_HEADER, headerOf } from "#runtime/request-header";
import { runtime } from "#runtime/runtime";

/** API Gateway returns 401 only for this exact message, and 403 for a policy that denies. */
const UNAUTHORIZED = "Unauthorized";

export const authorizeRequest = (dependencies: WithTable) => {
  const apiKeys = apiKeysOf(dependencies);
  return lambdaHandler<APIGatewayRequestAuthorizerEvent, APIGatewayAuthorizerResult>()
    .onError(({ error }) => {
      if (!(error instanceof Error && error.message === UNAUTHORIZED)) {
        logger.error("authorization failed", { cause: error });
      }
    })
    .handler(async (event) => {
      // Two keys in a request are none: other parts of the gateway might read the other one.
      const key = await apiKeys.authenticate(headerOf(event, API_KEY_HEADER) ?? "");
      if (!key) throw new Error(UNAUTHORIZED);
      await apiKeys.recordUse(key).catch((cause: unknown) => {
        logger.warn("the key's use could not be recorded", { keyId: key.keyId, cause });
      });
      return {
        principalId: key.keyId,
        policyDocument: {
          Version: "2012-10-17",
          Statement: [
            { Effect: "Allow", Action: "execute-api:Invoke", Resource: everyRouteOf(event.methodArn) },
          ],
        },
        // Every value is a string (API Gateway developer guide, "Output from an API Gateway Lambda authorizer").
        context: { orgId: key.orgId, keyId: key.keyId, handleKey: key.handleKey },
      };
    });
};

export const handler = authorizeRequest({ ...runtime, documentClient });

// The policy is cached per key, not per route, so it covers `arn:…:<api>/<stage>/<method>/<path>` up to the stage.
function everyRouteOf(methodArn: string): string {
  return `${methodArn.split("/", 2).join("/")}/*`;
}
