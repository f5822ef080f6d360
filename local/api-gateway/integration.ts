import { randomUUID } from "node:crypto";
import * as z from "zod";
import type { InvocationResult } from "../lambda/execution-environment.ts";
import type { LocalFunction } from "../lambda/local-function.ts";
import { INVOCATION_BYTES } from "../lambda/quotas.ts";
import type { GatewayContext } from "./request.ts";
import type { GatewayResponseType, HttpResponse } from "./response.ts";

/** The response to a request, or the type of the gateway's own, with what the access log can show of it. */
export interface Outcome {
  readonly response: HttpResponse | GatewayResponseType;
  readonly context: GatewayContext;
}

/** Null removes a header that would be present by default. */
const HeaderValue = z
  .union([z.string(), z.number(), z.boolean(), z.null()])
  .transform((value) => (value === null ? null : String(value)));

const ProxyResponse = z.object({
  statusCode: z.coerce.number().int().min(100).max(599),
  headers: z.record(z.string(), HeaderValue).nullish(),
  multiValueHeaders: z.record(z.string(), z.array(HeaderValue)).nullish(),
  body: z.string().nullish(),
  isBase64Encoded: z.boolean().nullish(),
});

/** Headers in a function's response that API Gateway renames (developer guide, important notes). */
const REMAPPED = new Set([
  "authorization",
  "connection",
  "content-length",
  "content-md5",
  "date",
  "expect",
  "host",
  "max-forwards",
  "proxy-authenticate",
  "server",
  "te",
  "trailer",
  "upgrade",
  "user-agent",
  "via",
  "www-authenticate",
]);

/** Invokes a function with the event and reads its response. */
export async function callFunction(
  localFunction: LocalFunction,
  event: unknown,
  timeoutMs: number,
): Promise<Outcome> {
  const payload = JSON.stringify(event);
  if (Buffer.byteLength(payload) > INVOCATION_BYTES) return { response: "REQUEST_TOO_LARGE", context: {} };
  const requestId = randomUUID();
  const timeout = Promise.withResolvers<undefined>();
  const timer = setTimeout(() => timeout.resolve(undefined), timeoutMs).unref();
  const result = await Promise.race([localFunction.invoke(payload, { requestId }), timeout.promise]);
  clearTimeout(timer);
  if (!result) return { response: "INTEGRATION_TIMEOUT", context: {} };
  // The status is that of Lambda's API, which is 200 also if the function failed.
  return {
    response: responseIn(result),
    context: { awsEndpointRequestId: requestId, integrationStatus: "200" },
  };
}

function responseIn({ payload, functionError }: InvocationResult): HttpResponse | GatewayResponseType {
  if (functionError) return "DEFAULT_5XX";
  const response = ProxyResponse.safeParse(JSON.parse(payload));
  if (!response.success) return "DEFAULT_5XX";
  const { statusCode, headers, multiValueHeaders, body, isBase64Encoded } = response.data;
  return {
    statusCode,
    headers: withoutNulls({
      "Content-Type": "application/json",
      ...renamed({ ...headers, ...multiValueHeaders }),
    }),
    body: isBase64Encoded ? Buffer.from(body ?? "", "base64") : (body ?? ""),
  };
}

function renamed<Value>(headers: Readonly<Record<string, Value>>): Record<string, Value> {
  const result: Record<string, Value> = {};
  for (const [name, value] of Object.entries(headers)) {
    const lower = name.toLowerCase();
    if (lower === "transfer-encoding") continue;
    // Header names are case-insensitive: the caller must not receive the same one twice.
    const key = REMAPPED.has(lower)
      ? `x-amzn-Remapped-${name}`
      : lower === "content-type"
        ? "Content-Type"
        : name;
    result[key] = value;
  }
  return result;
}

function withoutNulls(
  headers: Readonly<Record<string, string | null | readonly (string | null)[]>>,
): Record<string, readonly string[]> {
  return Object.fromEntries(
    Object.entries(headers)
      .map(([name, given]) => [name, [given].flat().filter((value) => value !== null)] as const)
      .filter(([, values]) => values.length > 0),
  );
}
