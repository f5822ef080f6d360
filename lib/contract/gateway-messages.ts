import {
  type ErrorCode,
  InternalError,
  PayloadTooLarge,
  REPEAT_WITH_CARE,
  ServiceUnavailable,
  Unauthorized,
  UnsupportedMediaType,
} from "#contract/errors";

/** The messages of errors that API Gateway and the web ACL return without invoking a function. */
export const GATEWAY_MESSAGES = {
  invalid_request: "The request was refused. Check it against the contract.",
  unauthorized: new Unauthorized().message,
  not_found: "There is no such route. Check the path against the contract.",
  payload_too_large: new PayloadTooLarge().message,
  unsupported_media_type: new UnsupportedMediaType().message,
  rate_limited: "Too many requests. Repeat the request after the number of seconds in Retry-After.",
  internal_error: new InternalError().message,
  service_unavailable: new ServiceUnavailable().message,
  timeout: `The service took too long. Repeat the request. ${REPEAT_WITH_CARE}`,
} as const satisfies Partial<Record<ErrorCode, string>>;

/** The message of an `invalid_request` whose values are valid: a managed rule of the web ACL blocked the request. */
export const BLOCKED_MESSAGE =
  "The firewall blocked the request because of its IP address, its method, a cookie or a header such as User-Agent. If none is unusual, report the X-Request-Id.";
