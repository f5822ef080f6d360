import type { APIGatewayProxyEvent, APIGatewayProxyResult } from "aws-lambda";
import type * as z from "zod/mini";
import { lambdaHandler } from "#aws/lambda-handler";
import { InvalidRequest } from "#contract/errors";
import { describeProblems } from "#contract/problems";
import type { Answer } from "#http/answers";
import { envelope } from "#http/envelope";
import { readJsonBody } from "#http/request-body";
import { headerOf } from "#http/request-header";
import { requestLog } from "#http/request-log";
import { withoutApiKey } from "#http/without-api-key";
import { Organisation } from "#organisations/organisation";

/** What an operation is given of a request, after the authorizer has let it through. */
interface Call<Body, Query> {
  /** The organisation that the caller's key is scoped to. */
  readonly organisation: Organisation;
  /** The `{id}` of the path, as sent; empty where the path has none. */
  readonly id: string;
  /** The `{eventId}` of the path, in the same way. */
  readonly eventId: string;
  readonly body: Body;
  readonly query: Query;
  /** The value of a request header, whatever the case of its name. */
  header(name: string): string | undefined;
}

interface Operation<Body extends z.ZodMiniType, Query extends z.ZodMiniType> {
  /** The contract's name of the operation, as it stands in logs and in the OpenAPI description. */
  readonly operationId: string;
  readonly body?: Body;
  readonly query?: Query;
  run(call: Call<z.infer<Body>, z.infer<Query>>): Promise<Answer>;
}

/** The Lambda handler of one operation of the contract: reads the request, runs, answers or explains. */
export function operation<
  Body extends z.ZodMiniType = z.ZodMiniUndefined,
  Query extends z.ZodMiniType = z.ZodMiniUndefined,
>({ operationId, body, query, run }: Operation<Body, Query>) {
  return lambdaHandler<APIGatewayProxyEvent, APIGatewayProxyResult>()
    .use(withoutApiKey())
    .use(requestLog(operationId))
    .use(envelope())
    .handler(async (event) => {
      const header = (name: string) => headerOf(event, name);
      return run({
        organisation: organisationOf(event),
        id: event.pathParameters?.["id"] ?? "",
        eventId: event.pathParameters?.["eventId"] ?? "",
        body: body && parse(body, readJsonBody(event), "body"),
        query: query && parse(query, queryOf(event), "query"),
        header,
      } as Call<z.infer<Body>, z.infer<Query>>);
    });
}

function parse<Schema extends z.ZodMiniType>(schema: Schema, value: unknown, root: string): z.infer<Schema> {
  const parsed = schema.safeParse(value);
  if (!parsed.success) throw new InvalidRequest(describeProblems(parsed.error.issues, value, root));
  return parsed.data;
}

function organisationOf({ requestContext }: APIGatewayProxyEvent): Organisation {
  const parsed = Organisation.safeParse(requestContext.authorizer);
  if (!parsed.success) throw new Error("The authorizer names no organisation with its handle key.");
  return parsed.data;
}

/** Each parameter's value, or the list of them where it is repeated: `queryStringParameters` keeps only one. */
function queryOf(event: APIGatewayProxyEvent): Record<string, unknown> {
  return Object.fromEntries(
    Object.entries(event.multiValueQueryStringParameters ?? {}).map(([name, values]) => [
      name,
      values?.length === 1 ? values[0] : values,
    ]),
  );
}
