import { CandidateServiceError } from "./error.ts";

export interface Answer {
  readonly status: number;
  readonly headers: Headers;
  /** The parsed body; undefined if the response has none. */
  readonly body: unknown;
  /** The number of attempts made. */
  readonly attempts: number;
}

type Check = (value: unknown) => boolean;

/**
 * The body of a response, an object with at least these members: those that the client itself reads. Everything else is
 * passed on as it came, because later versions of the service may add to it.
 *
 * @throws CandidateServiceError `unexpected_answer` if it is something else
 */
export function bodyOf<Body extends object>(
  answer: Answer,
  members: Readonly<Record<string, Check>> = {},
): Body {
  const { body } = answer;
  if (!isObject(body)) throw unexpected(answer, "is not a JSON object");
  for (const [name, isValid] of Object.entries(members)) {
    if (!isValid(body[name])) throw unexpected(answer, `has no valid member ${name}`);
  }
  return body as Body;
}

/** @param fault what is wrong, as the predicate of a sentence about the response */
export function unexpected({ status, headers, attempts }: Answer, fault: string): CandidateServiceError {
  return new CandidateServiceError(
    "unexpected_answer",
    `The response (status code ${status}) did not come from the service: it ${fault}. Check baseUrl, and any proxy in between.`,
    { status, requestId: headers.get("X-Request-Id") ?? undefined, attempts },
  );
}

export function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

export function isText(value: unknown): value is string {
  return typeof value === "string" && value !== "";
}

/** Checks for an array whose elements are all valid. */
export function arrayOf(isValid: Check): Check {
  return (value) => Array.isArray(value) && value.every(isValid);
}
