import { isObject } from "./checks.ts";
import { CandidateServiceError } from "./error.ts";
import { type FetchResponse, isFetchResponse, type ResponseHeaders } from "./fetch.ts";
import { RESPONSE_BYTES, readText } from "./response-text.ts";
import { parseRetryAfter } from "./retry-after.ts";
import type { ServiceResponse } from "./service-response.ts";
import { isUnknownPath } from "./unknown-path.ts";

interface Expectation {
  /** Host and port, for messages. */
  readonly host: string;
  /** The number of attempts made. */
  readonly attempts: number;
  /** The status code of the operation's success. */
  readonly status: number;
  /** Whether environments exist that do not have the path. */
  readonly mayBeMissing: boolean;
}

/** Without the envelope if it comes from API Gateway, for a body over 10 MB, or from a proxy. */
const TOO_LARGE = 413;

/**
 * Reads the response to a call.
 *
 * @throws CandidateServiceError if it is an error, or did not come from the service
 */
export async function readResponse(
  response: FetchResponse,
  { host, attempts, status: expected, mayBeMissing }: Expectation,
): Promise<ServiceResponse> {
  if (!isFetchResponse(response)) {
    throw new CandidateServiceError(
      "unexpected_response",
      "The function fetch returned no Response: it needs a status, headers with the method get, and a body that is null or has the method getReader. In a mock, return new Response(…); instead of node-fetch, use undici.",
      { attempts },
    );
  }
  const { ok, status } = response;
  const headers = withoutSpaces(response.headers);
  const text = await readText(response);
  const details = {
    status,
    requestId: headers.get("X-Request-Id") ?? undefined,
    retryAfterMs: parseRetryAfter(headers.get("Retry-After")),
    attempts,
  };
  if (text === undefined) {
    throw new CandidateServiceError(
      "unexpected_response",
      `The response from ${host} (status code ${status}) is larger than ${RESPONSE_BYTES} bytes, which the service never sends. Check baseUrl, and any proxy in between.`,
      details,
    );
  }
  const body = parse(text);
  if (status === expected && body !== NOT_JSON) return { status, headers, body, attempts };
  if (status === 404 && isUnknownPath(body) && !mayBeMissing) {
    throw new CandidateServiceError(
      "unexpected_response",
      `${host} does not have the operation's path (status code ${status}). Check baseUrl: the base address of the environment is expected, such as https://api.example.com.`,
      details,
    );
  }
  if (!ok && isEnvelope(body)) throw new CandidateServiceError(body.error, body.message, details);
  if (status === TOO_LARGE) {
    throw new CandidateServiceError(
      "payload_too_large",
      `The body is larger than ${host}, or a proxy in between, accepts (status code ${status}). Send a smaller one.`,
      details,
    );
  }
  throw new CandidateServiceError(
    "unexpected_response",
    `The response from ${host} (status code ${status}${ok && status !== expected ? ` instead of ${expected}` : ""}) did not come from the service. Check baseUrl, and any proxy in between.`,
    details,
  );
}

/** Spaces after a value do not belong to it (RFC 9110 section 5.5), but undici leaves them there. */
function withoutSpaces(headers: ResponseHeaders): ResponseHeaders {
  return { get: (name) => headers.get(name)?.trimEnd() ?? null };
}

const NOT_JSON = Symbol("not JSON");

function parse(text: string): unknown {
  if (text === "") return undefined;
  try {
    return JSON.parse(text);
  } catch {
    return NOT_JSON;
  }
}

function isEnvelope(body: unknown): body is { readonly error: string; readonly message: string } {
  return isObject(body) && typeof body["error"] === "string" && typeof body["message"] === "string";
}
