import { type Check, isObject } from "./checks.ts";
import { CandidateServiceError } from "./error.ts";
import type { ResponseHeaders } from "./fetch.ts";
import { DEEPEST, isShallow } from "./shallow.ts";

export interface ServiceResponse {
  readonly status: number;
  readonly headers: ResponseHeaders;
  /** The parsed body; undefined if the response has none. */
  readonly body: unknown;
  /** The number of attempts made. */
  readonly attempts: number;
}

/**
 * The body of a response, an object with at least these members: those that the client itself reads. Everything else
 * is passed on as received, because later versions of the service may add members.
 *
 * @throws CandidateServiceError `unexpected_response` if it is something else
 */
export function bodyOf<Body extends object>(
  response: ServiceResponse,
  members: Readonly<Record<string, Check>> = {},
): Body {
  const { body } = response;
  if (!isObject(body)) throw unexpected(response, "is not a JSON object");
  if (!isShallow(body)) throw unexpected(response, `is nested more than ${DEEPEST} levels deep`);
  for (const [name, isValid] of Object.entries(members)) {
    if (!isValid(body[name])) throw unexpected(response, `has no valid member ${name}`);
  }
  return body as Body;
}

/** @param fault what is wrong, as the predicate of a sentence about the response */
export function unexpected(
  { status, headers, attempts }: ServiceResponse,
  fault: string,
): CandidateServiceError {
  return new CandidateServiceError(
    "unexpected_response",
    `The response (status code ${status}) did not come from the service: it ${fault}. Check baseUrl, and any proxy in between.`,
    { status, requestId: headers.get("X-Request-Id") ?? undefined, attempts },
  );
}
