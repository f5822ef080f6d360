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

/** The page on which a newcomer starts, relative to the environment's base URL. */
const QUICKSTART = "docs/guides/first-call";

export const getDocumentation = (dependencies: Runtime) => {
  // Where Lambda unpacks a function's bundle.
  const { LAMBDA_TASK_ROOT } = readEnvironment({ LAMBDA_TASK_ROOT: z.string() }, dependencies.variables);
  const site = new Site(join(LAMBDA_TASK_ROOT, "site"));
  return lambdaHandler<APIGatewayProxyEvent, APIGatewayProxyResult>()
    .use(requestLog("getDocumentation"))
    .use(envelope())
    .handler(async (event) => {
      if (event.resource === "/") return toQuickstart(event);
      if (event.requestContext.path.endsWith("/")) return withoutSlash(event);
      // A function, because in a text "$'" and "$&" would stand for parts of the resource.
      const path = event.resource.replace("{file+}", () => event.pathParameters?.["file"] ?? "");
      return site.respond(path, headerOf(event, "if-none-match"));
    });
};

/**
 * Relative, because a stage's name may precede the path. It must work for both `/production/` and `/production`.
 * `requestContext.path` is the path as it was requested, including the stage.
 */
function toQuickstart({ requestContext }: APIGatewayProxyEvent): APIGatewayProxyResult {
  const last = requestContext.path.slice(requestContext.path.lastIndexOf("/") + 1);
  return { statusCode: 302, headers: { Location: join(last, QUICKSTART) }, body: "" };
}

/** API Gateway ignores a slash at the end, but the relative links of a page would begin below it. */
function withoutSlash({ requestContext }: APIGatewayProxyEvent): APIGatewayProxyResult {
  const [last = ""] = requestContext.path.split("/").slice(-2);
  return { statusCode: 302, headers: { Location: `../${last}` }, body: "" };
}

export const handler = getDocumentation(runtime);
