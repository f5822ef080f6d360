import { join } from "node:path";
import type { APIGatewayProxyEvent, APIGatewayProxyResult } from "aws-lambda";
import * as z from "zod/mini";
import { envelope } from "#runtime/envelope";
import { readEnvironment } from "#runtime/environment";
import { lambdaHandler } from "#runtime/lambda-handler";
import { headerOf } from "#runtime/request-header";
import { requestLog } from "#runtime/request-log";
import { type Runtime, runtime } from "#runtime/runtime";
import { Site } from "#runtime/site";

export const getDocumentation = (surroundings: Runtime) => {
  // Where Lambda unpacks a function's bundle.
  const { LAMBDA_TASK_ROOT } = readEnvironment({ LAMBDA_TASK_ROOT: z.string() }, surroundings.variables);
  const site = new Site(join(LAMBDA_TASK_ROOT, "site"));
  return lambdaHandler<APIGatewayProxyEvent, APIGatewayProxyResult>()
    .use(requestLog("getDocumentation"))
    .use(envelope())
    .handler(async (event) => {
      const path = event.resource.replace("{file+}", event.pathParameters?.["file"] ?? "");
      return site.respond(path, headerOf(event, "if-none-match"));
    });
};

export const handler = getDocumentation(runtime);
