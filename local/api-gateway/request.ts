import type { IncomingMessage } from "node:http";
import { rawHeadersOf } from "../machine/raw-headers.ts";
import { ACCOUNT } from "../template.ts";
import type { ApiDefinition } from "./definition.ts";
import type { Route } from "./router.ts";

/** The parts of a request that the gateway reads before the body. */
export interface GatewayRequest {
  readonly requestId: string;
  readonly receivedAt: Date;
  readonly httpMethod: string;
  /** As sent: percent-encoded, without the query. */
  readonly path: string;
  readonly headers: ReadonlyMap<string, readonly string[]>;
  readonly query: ReadonlyMap<string, readonly string[]>;
  readonly sourceIp: string;
}

/** The values of `$context` and `context.`, by path. */
export type GatewayContext = Readonly<Record<string, string | undefined>>;

/**
 * Reads a request's first line and headers. Header names keep the case in which they were sent.
 *
 * @throws URIError if the query is not valid percent-encoding
 */
export function readRequest(message: IncomingMessage, requestId: string): GatewayRequest {
  const [path = "/", ...query] = (message.url ?? "/").split("?");
  const headers = new Map<string, string[]>();
  for (const [name, value] of rawHeadersOf(message)) append(headers, name, value);
  return {
    requestId,
    receivedAt: new Date(),
    httpMethod: message.method ?? "GET",
    path,
    headers,
    query: parseQuery(query.join("?")),
    sourceIp: message.socket.remoteAddress ?? "127.0.0.1",
  };
}

/** The value of a header, case-insensitive; the last one if it is repeated. */
export function headerOf({ headers }: GatewayRequest, name: string): string | undefined {
  for (const [given, values] of headers) {
    if (given.toLowerCase() === name.toLowerCase()) return values.at(-1);
  }
  return undefined;
}

/** The common part of a proxy event and a REQUEST authorizer's event. */
export function eventParts(api: ApiDefinition, request: GatewayRequest, route: Route) {
  const { resourcePath, resourceId } = route.method;
  return {
    resource: resourcePath,
    path: request.path,
    httpMethod: request.httpMethod,
    headers: lastValues(request.headers),
    multiValueHeaders: allValues(request.headers),
    queryStringParameters: lastValues(request.query),
    multiValueQueryStringParameters: allValues(request.query),
    pathParameters: Object.keys(route.pathParameters).length > 0 ? route.pathParameters : null,
    stageVariables: null,
    requestContext: {
      accountId: ACCOUNT,
      apiId: api.apiId,
      domainName: headerOf(request, "host") ?? "localhost",
      domainPrefix: api.apiId,
      extendedRequestId: request.requestId,
      httpMethod: request.httpMethod,
      identity: {
        accessKey: null,
        accountId: null,
        caller: null,
        sourceIp: request.sourceIp,
        user: null,
        userAgent: headerOf(request, "user-agent") ?? null,
        userArn: null,
      },
      path: `/${api.stage}${request.path}`,
      protocol: "HTTP/1.1",
      requestId: request.requestId,
      requestTime: clfTime(request.receivedAt),
      requestTimeEpoch: request.receivedAt.getTime(),
      resourceId,
      resourcePath,
      stage: api.stage,
    },
  };
}

/** A time in the Common Log Format, such as `09/Apr/2026:12:34:56 +0000`. */
function clfTime(at: Date): string {
  const [, day, month, year, time] = at.toUTCString().split(" ");
  return `${day}/${month}/${year}:${time} +0000`;
}

/**
 * The body in a proxy event: in base64 if its media type is binary, otherwise as text in which U+FFFD replaces bytes
 * that are not UTF-8 (docs/decisions/0029).
 */
export function bodyParts({ binaryMediaTypes }: ApiDefinition, request: GatewayRequest, body: Buffer) {
  if (body.length === 0) return { body: null, isBase64Encoded: false };
  const isBinary = binaryMediaTypes.some((type) => matchesMediaType(type, headerOf(request, "content-type")));
  return { body: body.toString(isBinary ? "base64" : "utf8"), isBase64Encoded: isBinary };
}

/** Ignores parameters. A body without a media type matches only the pattern for all types. */
function matchesMediaType(pattern: string, contentType = ""): boolean {
  const type = contentType.split(";")[0]?.trim() ?? "";
  return (
    pattern === "*/*" || pattern === type || (pattern.endsWith("/*") && type.startsWith(pattern.slice(0, -1)))
  );
}

/** The variables available in templates and headers. */
export function contextOf(api: ApiDefinition, request: GatewayRequest, route?: Route): GatewayContext {
  return {
    apiId: api.apiId,
    stage: api.stage,
    httpMethod: request.httpMethod,
    path: `/${api.stage}${request.path}`,
    requestId: request.requestId,
    extendedRequestId: request.requestId,
    requestTimeEpoch: String(request.receivedAt.getTime()),
    resourcePath: route?.method.resourcePath,
    "identity.sourceIp": request.sourceIp,
    "identity.userAgent": headerOf(request, "user-agent"),
  };
}

function parseQuery(query: string): Map<string, string[]> {
  const parameters = new Map<string, string[]>();
  for (const pair of query.split("&").filter((part) => part !== "")) {
    const [name = "", ...value] = pair.split("=");
    append(parameters, decode(name), decode(value.join("=")));
  }
  return parameters;
}

function decode(text: string): string {
  return decodeURIComponent(text.replaceAll("+", " "));
}

function append(map: Map<string, string[]>, name: string, value: string): void {
  const values = map.get(name);
  if (values) values.push(value);
  else map.set(name, [value]);
}

function lastValues(map: ReadonlyMap<string, readonly string[]>): Record<string, string> | null {
  return map.size === 0
    ? null
    : Object.fromEntries([...map].map(([name, values]) => [name, values.at(-1) ?? ""]));
}

function allValues(map: ReadonlyMap<string, readonly string[]>): Record<string, readonly string[]> | null {
  return map.size === 0 ? null : Object.fromEntries(map);
}
