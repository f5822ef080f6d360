import * as z from "zod";
import type { LocalFunction } from "../lambda/local-function.ts";
import { INVOCATION_BYTES } from "../lambda/messages.ts";
import type { GatewayResponseType, HttpResponse } from "./response.ts";

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

/** Invokes a function with the event and reads its response, or returns the type of the gateway's own response. */
export async function callFunction(
  localFunction: LocalFunction,
  event: unknown,
  timeoutMs: number,
): Promise<HttpResponse | GatewayResponseType> {
  const payload = JSON.stringify(event);
  if (Buffer.byteLength(payload) > INVOCATION_BYTES) return "REQUEST_TOO_LARGE";
  const timeout = Promise.withResolvers<undefined>();
  const timer = setTimeout(() => timeout.resolve(undefined), timeoutMs).unref();
  const result = await Promise.race([localFunction.invoke(payload), timeout.promise]);
  clearTimeout(timer);
  if (!result) return "INTEGRATION_TIMEOUT";
  if (result.functionError || Buffer.byteLength(result.payload) > INVOCATION_BYTES) return "DEFAULT_5XX";
  const response = ProxyResponse.safeParse(JSON.parse(result.payload));
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
