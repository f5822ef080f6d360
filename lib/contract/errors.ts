/** The error codes of the envelope and their HTTP status codes. */
export const ERROR_STATUS = {
  invalid_request: 400,
  events_expired: 400,
  unauthorized: 401,
  not_found: 404,
  consent_revoked: 404,
  method_not_allowed: 405,
  precondition_failed: 412,
  payload_too_large: 413,
  unsupported_media_type: 415,
  rate_limited: 429,
  internal_error: 500,
  service_unavailable: 503,
  timeout: 504,
} as const;
export type ErrorCode = keyof typeof ERROR_STATUS;

/** A refusal or fault, returned to the caller in the envelope. Messages never contain personal data. */
export abstract class ServiceError extends Error {
  abstract readonly code: ErrorCode;

  /** Headers that the response has besides those of every response. */
  readonly headers: Readonly<Record<string, string>> = {};

  /** The code. Callers of a private function receive it as `errorType`. */
  override get name(): string {
    return this.code;
  }

  get status(): number {
    return ERROR_STATUS[this.code];
  }
}

/** The request violates the contract. The message states what is expected and where. */
export class InvalidRequest extends ServiceError {
  readonly code = "invalid_request";
}

/** The feed no longer has all events after the caller's cursor or time. The message has the time of the oldest. */
export class EventsExpired extends ServiceError {
  readonly code = "events_expired";
}

/** The request has no valid API key, or several. */
export class Unauthorized extends ServiceError {
  readonly code = "unauthorized";

  constructor() {
    super("Send a valid key of this environment in the X-API-Key header.");
  }
}

/** The caller's organisation has no resource with this handle. */
export class NotFound extends ServiceError {
  readonly code = "not_found";
}

/** The candidate has withdrawn consent. Access is frozen until consent is given again. */
export class ConsentRevoked extends ServiceError {
  readonly code = "consent_revoked";

  constructor() {
    super("Consent is withdrawn: access is frozen. Amend with consentGiven true to restore it.");
  }
}

/** The path does not support the method. The response lists those that it supports (RFC 9110, 15.5.6). */
export class MethodNotAllowed extends ServiceError {
  readonly code = "method_not_allowed";
  override readonly headers: Readonly<Record<string, string>>;

  constructor(supported: readonly string[]) {
    const allow = supported.join(", ");
    super(`This path supports ${allow}.`);
    this.headers = { Allow: allow };
  }
}

/** The record has changed since the version in the caller's `If-Match` header. */
export class PreconditionFailed extends ServiceError {
  readonly code = "precondition_failed";

  constructor() {
    super(
      "If-Match has no current ETag: the record has changed, or quotation marks are missing. Read it again and amend with its ETag.",
    );
  }
}

/** The largest accepted body, in bytes. In base64 it still fits into Lambda's 6 MB per call. */
export const BODY_BYTES = 4 * 1024 * 1024;

/** The body is larger than the service accepts or can store. */
export class PayloadTooLarge extends ServiceError {
  readonly code = "payload_too_large";

  constructor(message = `The body is larger than ${BODY_BYTES} bytes. Send a smaller one.`) {
    super(message);
  }
}

/** The body is not `application/json`, not encoded in UTF-8, or has a `Content-Encoding`. */
export class UnsupportedMediaType extends ServiceError {
  readonly code = "unsupported_media_type";

  constructor() {
    super(
      "The body is not declared as JSON in UTF-8. Send Content-Type: application/json and no Content-Encoding.",
    );
  }
}

/** What a message says of a request of which it is unknown whether its write succeeded. */
export const REPEAT_WITH_CARE = "A write may have succeeded: check before you repeat what is not idempotent.";

/** How the messages of a 503 begin, for a request and for a row of a batch. */
export const UNAVAILABLE = "The service is temporarily unavailable.";

/** The `Retry-After` of a transient fault, in seconds. */
const RETRY_AFTER_SECONDS = 1;

/** A dependency of the service does not respond. It is unknown whether a write succeeded. */
export class ServiceUnavailable extends ServiceError {
  readonly code = "service_unavailable";
  override readonly headers = { "Retry-After": String(RETRY_AFTER_SECONDS) };

  constructor(options?: ErrorOptions) {
    super(`${UNAVAILABLE} Repeat the request after Retry-After seconds. ${REPEAT_WITH_CARE}`, options);
  }
}

/** A fault of the service itself. The logs contain the cause under the request id. */
export class InternalError extends ServiceError {
  readonly code = "internal_error";

  constructor(options?: ErrorOptions) {
    super(
      `The service failed. Repeat the request; if it fails again, report its X-Request-Id. ${REPEAT_WITH_CARE}`,
      options,
    );
  }
}
