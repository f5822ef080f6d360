import type { APIGatewayProxyEvent, APIGatewayProxyResult } from "aws-lambda";
import * as z from "zod/mini";
import { MethodNotAllowed } from "#contract/errors";
import { envelope } from "#runtime/envelope";
import { readEnvironment } from "#runtime/environment";
import { lambdaHandler } from "#runtime/lambda-handler";
import { oneApiKey } from "#runtime/one-api-key";
import { requestLog } from "#runtime/request-log";
import { type Runtime, runtime } from "#runtime/runtime";

/** The methods that each path offers, by path, for example `/v1/candidates/{id}`. */
const OfferedMethods = z.record(z.string(), z.array(z.string()));

/** Responds with 405 to a method that the path does not offer, whatever the body. */
export const refuseMethod = (dependencies: Runtime) => {
  const { OFFERED_METHODS } = readEnvironment({ OFFERED_METHODS: z.string() }, dependencies.variables);
  const offered = OfferedMethods.parse(JSON.parse(OFFERED_METHODS));
  return lambdaHandler<APIGatewayProxyEvent, APIGatewayProxyResult>()
    .use(requestLog("refuseMethod"))
    .use(oneApiKey())
    .use(envelope())
    .handler(async ({ resource }) => {
      throw new MethodNotAllowed(offered[resource] ?? []);
    });
};

export const handler = refuseMethod(runtime);
