import type { ApiDefinition } from "./definition.ts";
import type { GatewayContext } from "./request.ts";

/** The response to the caller. */
export interface HttpResponse {
  readonly statusCode: number;
  readonly headers: Readonly<Record<string, string | readonly string[]>>;
  readonly body: string | Buffer;
}

/**
 * API Gateway's default status codes for gateway responses (its developer guide's list of types). A function that
 * fails is a 502 without its own type; INTEGRATION_FAILURE is one that cannot be invoked.
 */
const DEFAULT_STATUS = {
  ACCESS_DENIED: 403,
  AUTHORIZER_CONFIGURATION_ERROR: 500,
  AUTHORIZER_FAILURE: 500,
  BAD_REQUEST_PARAMETERS: 400,
  DEFAULT_5XX: 502,
  INTEGRATION_TIMEOUT: 504,
  MISSING_AUTHENTICATION_TOKEN: 403,
  REQUEST_TOO_LARGE: 413,
  THROTTLED: 429,
  UNAUTHORIZED: 401,
} as const;

/** The types of gateway responses that the local stack uses. */
export type GatewayResponseType = keyof typeof DEFAULT_STATUS;

/** The gateway's own response of a type, as the template defines it: by type, else by DEFAULT_4XX or DEFAULT_5XX. */
export function gatewayResponse(
  api: ApiDefinition,
  type: GatewayResponseType,
  context: GatewayContext,
): HttpResponse {
  const status = DEFAULT_STATUS[type];
  const definition =
    api.gatewayResponses.get(type) ?? api.gatewayResponses.get(status < 500 ? "DEFAULT_4XX" : "DEFAULT_5XX");
  const [[mediaType, template] = ["application/json", `{"message":$context.error.messageString}`]] =
    Object.entries(definition?.templates ?? {});
  const variables = { ...context, "error.responseType": type, "error.messageString": JSON.stringify(type) };
  return {
    statusCode: definition?.statusCode ?? status,
    headers: { "Content-Type": mediaType, ...mapHeaders(definition?.headers ?? {}, variables) },
    body: fillTemplate(template, variables),
  };
}

/**
 * Replaces the `$context.…` variables in a mapping template. Unknown variables become empty, as in API Gateway, whose
 * access log writes `-` for them.
 */
export function fillTemplate(template: string, context: GatewayContext, unknown = ""): string {
  return template.replaceAll(
    /\$context\.([A-Za-z]+(?:\.[A-Za-z]+)*)/g,
    (_, name: string) => context[name] ?? unknown,
  );
}

/** Headers from mapping expressions: `'static'` or `context.…`. Others have no value and are omitted. */
function mapHeaders(
  expressions: Readonly<Record<string, string>>,
  context: GatewayContext,
): Record<string, string> {
  const headers: Record<string, string> = {};
  for (const [name, expression] of Object.entries(expressions)) {
    const value = /^'(.*)'$/s.exec(expression)?.[1] ?? context[expression.replace(/^context\./, "")];
    if (value !== undefined) headers[name] = value;
  }
  return headers;
}
