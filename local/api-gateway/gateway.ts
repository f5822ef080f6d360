import { randomUUID } from "node:crypto";
import type { IncomingMessage, ServerResponse } from "node:http";
import type { LocalFunction } from "../lambda/local-function.ts";
import { CommandError } from "../machine/command-error.ts";
import { ACCOUNT, REGION } from "../template.ts";
import { Authorizer } from "./authorizer.ts";
import type { ApiDefinition, AuthorizerDefinition, MethodDefinition } from "./definition.ts";
import { callFunction, type Outcome } from "./integration.ts";
import {
  bodyParts,
  contextOf,
  eventParts,
  type GatewayContext,
  type GatewayRequest,
  readRequest,
} from "./request.ts";
import { fillTemplate, type GatewayResponseType, gatewayResponse, type HttpResponse } from "./response.ts";
import { type Route, Router } from "./router.ts";
import { Throttle } from "./throttle.ts";

/** API Gateway's quota for a request's body: 10 MB. */
export const BODY_BYTES = 10 * 1024 * 1024;

/** The log record of a request. It contains no path or query, because they may contain personal data. */
export interface RequestRecord {
  readonly httpMethod: string;
  /** The path template, or undefined if no route matches. */
  readonly resourcePath: string | undefined;
  readonly statusCode: number;
  readonly durationMs: number;
}

export interface GatewayOptions {
  readonly functions: ReadonlyMap<string, LocalFunction>;
  readonly throttling: boolean;
  onRequest(record: RequestRecord): void;
  /** Called with each line of the stage's access log. */
  onAccess(line: string): void;
}

/** A REST API of API Gateway: routes, authorizer, integrations and the gateway's own responses. */
export class Gateway {
  readonly #api: ApiDefinition;
  readonly #options: GatewayOptions;
  readonly #router: Router;
  readonly #authorizers = new Map<string, Authorizer>();
  /** Each method has its own bucket, as in AWS; here, all with the stage's limit. None if there is no throttling. */
  readonly #throttles: ReadonlyMap<MethodDefinition, Throttle>;
  readonly #handling = new Set<Promise<void>>();

  constructor(api: ApiDefinition, options: GatewayOptions) {
    this.#api = api;
    this.#options = options;
    this.#router = new Router(api.methods);
    const throttle = options.throttling ? api.throttle : undefined;
    this.#throttles = new Map(throttle && api.methods.map((method) => [method, new Throttle(throttle)]));
    for (const { authorizer } of api.methods) {
      if (!authorizer || this.#authorizers.has(authorizer.id)) continue;
      this.#authorizers.set(
        authorizer.id,
        new Authorizer(authorizer, this.#function(authorizer.functionName)),
      );
    }
  }

  /**
   * Responds to a request.
   *
   * @param body undefined if it has more than `BODY_BYTES`
   */
  async handle(message: IncomingMessage, body: Buffer | undefined, response: ServerResponse): Promise<void> {
    const handling = this.#handle(message, body, response);
    this.#handling.add(handling);
    await handling.finally(() => this.#handling.delete(handling));
  }

  /** Waits for the responses to current requests. */
  async settled(): Promise<void> {
    await Promise.allSettled(this.#handling);
  }

  async #handle(message: IncomingMessage, body: Buffer | undefined, response: ServerResponse): Promise<void> {
    const startedAt = performance.now();
    const requestId = randomUUID();
    let request: GatewayRequest | undefined;
    let route: Route | undefined;
    let sent: HttpResponse;
    let outcome: GatewayContext = {};
    try {
      request = readRequest(message, requestId);
      route = this.#router.find(request.httpMethod, request.path);
      ({ sent, context: outcome } = await this.#respond(request, body, route));
    } catch (error) {
      if (!(error instanceof URIError)) throw error;
      sent = gatewayResponse(this.#api, "BAD_REQUEST_PARAMETERS", { requestId, stage: this.#api.stage });
    }
    send(response, sent, requestId);
    const durationMs = performance.now() - startedAt;
    this.#options.onRequest({
      httpMethod: message.method ?? "GET",
      resourcePath: route?.method.resourcePath,
      statusCode: sent.statusCode,
      durationMs,
    });
    const { accessLogFormat } = this.#api;
    if (!accessLogFormat || !request) return;
    const context = {
      ...contextOf(this.#api, request, route),
      ...outcome,
      status: String(sent.statusCode),
      responseLatency: String(Math.round(durationMs)),
      responseLength: String(Buffer.byteLength(sent.body)),
    };
    this.#options.onAccess(fillTemplate(accessLogFormat, context, "-"));
  }

  /** The response to malformed HTTP. */
  malformed(): HttpResponse {
    return gatewayResponse(this.#api, "BAD_REQUEST_PARAMETERS", { requestId: randomUUID() });
  }

  async #respond(request: GatewayRequest, body: Buffer | undefined, route: Route | undefined) {
    const { response, context } = await this.#outcome(request, body, route);
    return typeof response === "string"
      ? {
          sent: gatewayResponse(this.#api, response, contextOf(this.#api, request, route)),
          context: { ...context, "error.responseType": response },
        }
      : { sent: response, context };
  }

  async #outcome(
    request: GatewayRequest,
    body: Buffer | undefined,
    route: Route | undefined,
  ): Promise<Outcome> {
    if (body === undefined) return refused("REQUEST_TOO_LARGE");
    if (!route) return refused("MISSING_AUTHENTICATION_TOKEN");
    if (this.#throttles.get(route.method)?.take() === false) return refused("THROTTLED");

    const parts = eventParts(this.#api, request, route);
    const { authorizer, integration } = route.method;
    let caller: Readonly<Record<string, string>> | undefined;
    if (authorizer) {
      const authorization = await this.#authorize(authorizer, request, parts);
      if (!authorization.allowed) return refused(authorization.refusal);
      caller = authorization.context;
    }
    const event = {
      ...parts,
      requestContext: { ...parts.requestContext, ...(caller && { authorizer: caller }) },
      ...bodyParts(this.#api, request, body),
    };
    const { response, context } = await callFunction(
      this.#function(integration.functionName),
      event,
      integration.timeoutMs,
    );
    return { response, context: { ...namedAsAuthorizers(caller), ...context } };
  }

  #authorize(definition: AuthorizerDefinition, request: GatewayRequest, parts: object) {
    const { apiId, stage } = this.#api;
    const path = request.path.replace(/^\//, "");
    const methodArn = `arn:aws:execute-api:${REGION}:${ACCOUNT}:${apiId}/${stage}/${request.httpMethod}/${path}`;
    const authorizer = this.#authorizers.get(definition.id) as Authorizer;
    return authorizer.authorize(request, methodArn, () => ({ type: "REQUEST", methodArn, ...parts }));
  }

  #function(name: string): LocalFunction {
    const found = this.#options.functions.get(name);
    if (!found) throw new CommandError(`The API calls ${name}, but the template has no such function.`);
    return found;
  }
}

function refused(response: GatewayResponseType): Outcome {
  return { response, context: {} };
}

/** The authorizer's context, under the names used in the access log. */
function namedAsAuthorizers(caller: Readonly<Record<string, string>> = {}): GatewayContext {
  return Object.fromEntries(Object.entries(caller).map(([name, value]) => [`authorizer.${name}`, value]));
}

function send(
  response: ServerResponse,
  { statusCode, headers, body }: HttpResponse,
  requestId: string,
): void {
  response.statusCode = statusCode;
  response.setHeader("x-amzn-RequestId", requestId);
  for (const [name, value] of Object.entries(headers)) {
    response.setHeader(name, typeof value === "string" ? value : [...value]);
  }
  // A 204 and a 304 have no body (RFC 9110). Node omits it, and the length must be omitted too.
  if (statusCode !== 204 && statusCode !== 304) response.setHeader("Content-Length", Buffer.byteLength(body));
  response.end(body);
}
