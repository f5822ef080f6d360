import type { APIGatewayProxyEvent, APIGatewayProxyResult } from "aws-lambda";
import type * as z from "zod/mini";
import { InvalidRequest } from "#contract/errors";
import type { OperationDefinition, PathParameter } from "#contract/operation-definition";
import { Organisation } from "#contract/organisation";
import { parse } from "#contract/parse";
import type { WithHeaders } from "#contract/with-headers";
import { envelope } from "#runtime/envelope";
import { lambdaHandler } from "#runtime/lambda-handler";
import { oneApiKey } from "#runtime/one-api-key";
import { assertMediaType, readJsonBody } from "#runtime/request-body";
import { type HeaderName, headerOf } from "#runtime/request-header";
import { requestLog } from "#runtime/request-log";
import { success } from "#runtime/success";

/** The parts of a request that an operation receives, after authorization. */
type Call<Definition extends OperationDefinition> = Parsed<Definition> & {
  /** The organisation of the caller's key. */
  readonly organisation: Organisation;
  /** The value of a request header, whatever the case in which its name was sent. */
  header(name: HeaderName): string | undefined;
  /** The time until the function's timeout, in ms. */
  remainingMs(): number;
} & {
  /** The parameters of the path, as sent. */
  readonly [Name in PathParameter<Definition["path"]>]: string;
};

/** The parsed body and query, if the operation has them. */
type Parsed<Definition> = {
  readonly [Part in keyof Definition & ("body" | "query")]: Definition[Part] extends z.ZodMiniType
    ? z.infer<Definition[Part]>
    : never;
};

/** What an operation returns: the body of its success, or nothing if it is empty. */
type Result<Definition> = Definition extends { readonly response: infer Response extends z.ZodMiniType }
  ? Promise<z.infer<Response> | WithHeaders<z.infer<Response>>>
  : Promise<void>;

/** The Lambda handler of one operation of the contract: parses the request, runs, and returns the response. */
export function operation<Definition extends OperationDefinition>(
  { operationId, method, body, optionalBody, query, status }: Definition,
  run: (call: Call<Definition>) => Result<Definition>,
) {
  return lambdaHandler<APIGatewayProxyEvent, APIGatewayProxyResult>()
    .use(requestLog(operationId))
    .use(oneApiKey())
    .use(envelope())
    .handler(async (event, context) => {
      if (method !== "GET") assertMediaType(event);
      const call = {
        ...event.pathParameters,
        organisation: organisationOf(event),
        body: body && parse(body, optionalBody && !event.body ? {} : readJsonBody(event), "body"),
        query: query && parse(query, queryOf(event, Object.keys(query.shape)), "query"),
        header: (name: HeaderName) => headerOf(event, name),
        remainingMs: () => context.getRemainingTimeInMillis(),
      };
      return success(status, await run(call as unknown as Call<Definition>));
    });
}

function organisationOf({ requestContext }: APIGatewayProxyEvent): Organisation {
  const parsed = Organisation.safeParse(requestContext.authorizer);
  if (!parsed.success) throw new Error("The authorizer has named no organisation.");
  return parsed.data;
}

/**
 * The values of these parameters; others are ignored.
 *
 * @throws InvalidRequest if one is repeated: `queryStringParameters` would keep only one value
 */
function queryOf(
  { multiValueQueryStringParameters: given }: APIGatewayProxyEvent,
  names: readonly string[],
): Record<string, unknown> {
  return Object.fromEntries(
    names.flatMap((name) => {
      const values = given?.[name] ?? [];
      if (values.length > 1) throw new InvalidRequest(`${name}: one parameter of this name is expected`);
      return values.map((value) => [name, value]);
    }),
  );
}
