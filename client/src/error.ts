import type { ErrorCode } from "./contract-types.ts";

/**
 * What the client finds out by itself: the service could not be reached, answered something that is not
 * the service's, or a webhook delivery is not genuine.
 */
export type ClientErrorCode = "connection_failed" | "unexpected_answer" | "invalid_signature";

interface Details {
  readonly status?: number | undefined;
  readonly requestId?: string | undefined;
  readonly retryAfterMs?: number | undefined;
  readonly attempts?: number;
  readonly cause?: unknown;
}

/** Why a call failed: everything but your own abort is thrown as this one class. */
export class CandidateServiceError extends Error {
  override readonly name = "CandidateServiceError";
  /**
   * The service's own code (`not_found`, `rate_limited`, …) or the client's. `timeout` without a status is
   * an attempt that took longer than `timeoutMs`. Later versions of the service may add codes.
   */
  readonly code: ErrorCode | ClientErrorCode;
  /** The HTTP status, when there was an answer. */
  readonly status: number | undefined;
  /** The answer's `X-Request-Id`: quote it when you report a problem. */
  readonly requestId: string | undefined;
  /** How long the service asked to wait (`Retry-After`), in ms. */
  readonly retryAfterMs: number | undefined;
  /** How often the call was tried. */
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
