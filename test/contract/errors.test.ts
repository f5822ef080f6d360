import { expect, test } from "vitest";
import {
  ConsentRevoked,
  EventsExpired,
  InternalError,
  InvalidRequest,
  MethodNotAllowed,
  NotFound,
  PayloadTooLarge,
  PreconditionFailed,
  ServiceUnavailable,
  Unauthorized,
  UnsupportedMediaType,
} from "#contract/errors";

test.each([
  [
    new InvalidRequest("status: a status is expected"),
    "invalid_request",
    400,
    /^status: a status is expected$/,
  ],
  [new EventsExpired("cursor: expired"), "events_expired", 400, /^cursor: expired$/],
  [new Unauthorized(), "unauthorized", 401, /Send a valid key of this environment in the X-API-Key header/],
  [new NotFound("No such candidate."), "not_found", 404, /^No such candidate\.$/],
  [new ConsentRevoked(), "consent_revoked", 404, /Amend with consentGiven true to restore it/],
  [new MethodNotAllowed(["GET", "PUT"]), "method_not_allowed", 405, /^This path supports GET, PUT\.$/],
  [new PreconditionFailed(), "precondition_failed", 412, /Read it again and amend with its ETag/],
  [new PayloadTooLarge("Send less of it."), "payload_too_large", 413, /^Send less of it\.$/],
  [new UnsupportedMediaType(), "unsupported_media_type", 415, /Content-Type: application\/json/],
  [new ServiceUnavailable(), "service_unavailable", 503, /Repeat the request after Retry-After seconds/],
  [new InternalError(), "internal_error", 500, /report its X-Request-Id/],
])("the error %s has its code as name, its status and a message that says what to do", (...expected) => {
  const [error, code, status, message] = expected;

  expect({ code: error.code, name: error.name, status: error.status }).toEqual({ code, name: code, status });
  expect(error.message).toMatch(message);
});

test.each([
  [new MethodNotAllowed(["GET", "PUT"]), { Allow: "GET, PUT" }],
  [new ServiceUnavailable(), { "Retry-After": "1" }],
  [new InternalError(), {}],
])("the response of the error %s has its headers", (error, headers) => {
  expect(error.headers).toEqual(headers);
});

test.each([ServiceUnavailable, InternalError])("the error %o keeps its cause for the log", (ErrorClass) => {
  const cause = new Error("throttled");

  expect(new ErrorClass({ cause }).cause).toBe(cause);
});
