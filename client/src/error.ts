import type { ErrorCode } from "./contract-types.ts";

/**
 * Errors detected by the client itself: the service could not be reached, the response did not come from the
 * service, or a webhook delivery is not genuine.
 */
export type ClientErrorCode = "connection_failed" | "unexpected_response" | "invalid_signature";

interface Details {
  readonly status?: number | undefined;
  readonly requestId?: string | undefined;
  readonly retryAfterMs?: number | undefined;
  readonly attempts?: number;
  readonly cause?: unknown;
}

/**
 * A failed call. Every failure is thrown as this class, except when you abort a call yourself (its signal's reason),
 * and when an argument is wrong (`TypeError`; nothing is sent).
 */
export class CandidateServiceError extends Error {
  override readonly name = "CandidateServiceError";
  /**
   * The service's own code (`not_found`, `rate_limited`, …) or the client's. `timeout` without a status means that
   * an attempt took longer than `timeoutMs`. Later versions of the service may add codes.
   */
  readonly code: ErrorCode | ClientErrorCode;
  /** The HTTP status code, if there was a response. */
  readonly status: number | undefined;
  /** The response's `X-Request-Id`. Include it when you report a problem. */
  readonly requestId: string | undefined;
  /** The wait requested by the service (`Retry-After`), in ms. */
  readonly retryAfterMs: number | undefined;
  /** The number of attempts made. */
  readonly attempts: number;

  constructor(code: CandidateServiceError["code"], message: string, details: Details = {}) {
    super(message, "cause" in details ? { cause: details.cause } : undefined);
    this.code = code;
    this.status = details.status;
    this.requestId = details.requestId;
    this.retryAfterMs = details.retryAfterMs;
    this.attempts = details.attempts ?? 0;
  }
}
