import { join } from "node:path";
import type { APIGatewayProxyEvent, APIGatewayProxyResult } from "aws-lambda";
import * as z from "zod/mini";
import { readEnvironment } from "#aws/environment";
import { lambdaHandler } from "#aws/lambda-handler";
import { type Runtime, runtime } from "#aws/runtime";
import { envelope } from "#http/envelope";
import { headerOf } from "#http/request-header";
import { requestLog } from "#http/request-log";
import { Site } from "#http/site";

export const getDocumentation = (surroundings: Runtime) => {
  // Where Lambda unpacks a function's bundle.
  const { LAMBDA_TASK_ROOT } = readEnvironment({ LAMBDA_TASK_ROOT: z.string() }, surroundings.variables);
  const site = new Site(join(LAMBDA_TASK_ROOT, "site"));
  return lambdaHandler<APIGatewayProxyEvent, APIGatewayProxyResult>()
    .use(requestLog("getDocumentation"))
    .use(envelope())
    .handler(async (event) => {
      const path = event.resource.replace("{file+}", event.pathParameters?.["file"] ?? "");
      return site.answer(path, headerOf(event, "if-none-match"));
    });
};

export const handler = getDocumentation(runtime);
