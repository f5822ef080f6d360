import { ResponseType, type RestApi } from "aws-cdk-lib/aws-apigateway";
import type { ErrorEnvelope } from "#contract/error-envelope";
import { ERROR_STATUS, type ErrorCode } from "#contract/errors";
import { BLOCKED_MESSAGE, GATEWAY_MESSAGES } from "#contract/gateway-messages";

/** Every response type of API Gateway, with the corresponding error code, and its message if it is not the code's. */
const errorCodes: readonly (readonly [ResponseType, keyof typeof GATEWAY_MESSAGES, string?])[] = [
  [ResponseType.UNAUTHORIZED, "unauthorized"],
  [ResponseType.ACCESS_DENIED, "unauthorized"],
  [ResponseType.EXPIRED_TOKEN, "unauthorized"],
  [ResponseType.INVALID_API_KEY, "unauthorized"],
  [ResponseType.INVALID_SIGNATURE, "unauthorized"],
  // An unknown route. API Gateway's own response would be a 403.
  [ResponseType.MISSING_AUTHENTICATION_TOKEN, "not_found"],
  [ResponseType.RESOURCE_NOT_FOUND, "not_found"],
  [ResponseType.BAD_REQUEST_BODY, "invalid_request"],
  [ResponseType.BAD_REQUEST_PARAMETERS, "invalid_request"],
  [ResponseType.WAF_FILTERED, "invalid_request", BLOCKED_MESSAGE],
  [ResponseType.DEFAULT_4XX, "invalid_request"],
  [ResponseType.REQUEST_TOO_LARGE, "payload_too_large"],
  [ResponseType.UNSUPPORTED_MEDIA_TYPE, "unsupported_media_type"],
  [ResponseType.THROTTLED, "rate_limited"],
  [ResponseType.QUOTA_EXCEEDED, "rate_limited"],
  [ResponseType.INTEGRATION_TIMEOUT, "timeout"],
  // Like INTEGRATION_FAILURE, also the response if Lambda throttles the invocation.
  [ResponseType.AUTHORIZER_FAILURE, "service_unavailable"],
  [ResponseType.AUTHORIZER_CONFIGURATION_ERROR, "service_unavailable"],
  [ResponseType.INTEGRATION_FAILURE, "service_unavailable"],
  [ResponseType.API_CONFIGURATION_ERROR, "internal_error"],
  [ResponseType.DEFAULT_5XX, "internal_error"],
];

const extraHeaders: Partial<Record<ErrorCode, Readonly<Record<string, string>>>> = {
  // RFC 9110 section 11.6.1: a 401 contains the accepted scheme.
  unauthorized: { "WWW-Authenticate": `'ApiKey realm="candidates", header="X-API-Key"'` },
  rate_limited: { "Retry-After": "'1'" },
  service_unavailable: { "Retry-After": "'1'" },
};

/** Headers of every response, as API Gateway's mapping expressions. */
const commonHeaders = {
  "X-Request-Id": "context.requestId",
  "Cache-Control": "'no-store'",
  "X-Content-Type-Options": "'nosniff'",
} as const;

/** Wraps every error that API Gateway itself returns in the envelope. */
export function addGatewayResponses(api: RestApi): void {
  for (const [type, error, message = GATEWAY_MESSAGES[error]] of errorCodes) {
    const envelope: ErrorEnvelope = { error, message };
    api.addGatewayResponse(type.responseType, {
      type,
      statusCode: String(ERROR_STATUS[error]),
      responseHeaders: { ...commonHeaders, ...extraHeaders[error] },
      templates: { "application/json": JSON.stringify(envelope) },
    });
  }
}
