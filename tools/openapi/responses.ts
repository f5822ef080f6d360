import type * as z from "zod/mini";
import type { oas31, ZodOpenApiExamplesObject, ZodOpenApiResponseObject } from "zod-openapi";
import { ErrorEnvelope } from "#contract/error-envelope";
import {
  ConsentRevoked,
  ERROR_STATUS,
  type ErrorCode,
  InternalError,
  PayloadTooLarge,
  PreconditionFailed,
  ServiceUnavailable,
  UnsupportedMediaType,
} from "#contract/errors";
import { GATEWAY_MESSAGES } from "#contract/gateway-messages";
import type { OperationDefinition } from "#contract/operation-definition";
import { BODY_LIMIT } from "./body-limit.ts";

type Headers = Readonly<Record<string, oas31.HeaderObject>>;

const requestId = {
  description: "The id of this request in the service's logs. Include it when you report a problem.",
  schema: { type: "string", minLength: 1, examples: ["6f1c0d52-4b7f-4d29-9c0a-0b8f9d0f7f6e"] },
} as const satisfies oas31.HeaderObject;

const commonHeaders: Headers = {
  "X-Request-Id": { ...requestId, required: true },
  "Cache-Control": {
    description: "Always `no-store`: caches must not store the response.",
    required: true,
    schema: { type: "string", const: "no-store" },
  },
  "X-Content-Type-Options": {
    description: "Always `nosniff`: browsers must not take the response for another type.",
    required: true,
    schema: { type: "string", const: "nosniff" },
  },
};

export const entityTag: Headers = {
  ETag: {
    description: "The version of the record (RFC 9110). Send it in `If-Match` to amend only this version.",
    required: true,
    schema: { type: "string", pattern: '^".+"$', examples: ['"2026-11-21T09:04:00.000Z"'] },
    "x-extension": true,
  },
};

export const replayed: Headers = {
  "Idempotent-Replayed": {
    description: "Present, and `true`, if the candidate already existed and nothing changed.",
    schema: { type: "string", const: "true" },
  },
};

const retryAfter: Headers = {
  "Retry-After": {
    description: "The seconds to wait before repeating the request.",
    required: true,
    schema: { type: "string", pattern: "^\\d+$", examples: ["1"] },
  },
};

const authenticate: Headers = {
  "WWW-Authenticate": {
    description: "The accepted authentication scheme (RFC 9110). May be absent if the request has two keys.",
    schema: { type: "string", examples: ['ApiKey realm="candidates", header="X-API-Key"'] },
  },
};

const allow: Headers = {
  Allow: {
    description: "On a 405, the methods that the path offers.",
    schema: { type: "string", examples: ["GET, POST"] },
  },
};

/** The description of an operation's success, apart from its schema. */
export interface SuccessWords {
  readonly description: string;
  readonly headers?: Headers;
  readonly examples?: ZodOpenApiExamplesObject;
  readonly links?: oas31.ResponseObject["links"];
}

/** A success, with a body if there are examples of it. */
export function success(
  { response }: OperationDefinition,
  { description, headers, examples, links }: SuccessWords,
): ZodOpenApiResponseObject {
  return {
    description,
    headers: { ...commonHeaders, ...headers },
    ...(response && examples && { content: json(response, examples) }),
    ...(links && { links }),
  };
}

/** Content of a media type `application/json`. */
export function json(schema: z.ZodMiniType, examples: ZodOpenApiExamplesObject) {
  return { "application/json": { schema, examples } };
}

interface ErrorResponse {
  readonly description: string;
  readonly codes: Readonly<Partial<Record<ErrorCode, string>>>;
  readonly headers?: Headers;
}

const noCandidate = "No candidate of your organisation has this handle or externalId. Check it.";

/** The error responses of operations, by name. */
const errors = {
  InvalidRequest: {
    description:
      "The request violates the contract. The message lists the problems by path, and never contains values that were sent.",
    codes: {
      invalid_request:
        "email: an ASCII e-mail address with a dot in its domain and at most 254 characters, 64 before the @, is expected; workHistory[2].startDate: a calendar date as YYYY-MM-DD is required",
    },
  },
  EventsExpired: {
    description:
      "`invalid_request`: the request violates the contract, and the message lists the problems by path. " +
      "`events_expired`: events after the cursor, or since the given time, are no longer kept; the message contains the time of the oldest events that are kept.",
    codes: {
      events_expired:
        "cursor: expired; events are kept for 30 days; start with since=2026-10-22T09:00:00.000Z",
      invalid_request: "since: an RFC 3339 date-time with Z or an offset (its + encoded as %2B) is expected",
    },
  },
  Unauthorized: {
    description:
      "The key is missing, malformed, unknown, expired, revoked or of the other environment. The message is the same in all cases.",
    codes: { unauthorized: GATEWAY_MESSAGES.unauthorized },
    headers: authenticate,
  },
  CandidateNotFound: {
    description:
      "`not_found`: your organisation has no candidate with this id. `consent_revoked`: the candidate has withdrawn consent, and access is frozen.",
    codes: { not_found: noCandidate, consent_revoked: new ConsentRevoked().message },
  },
  NoCandidateToErase: {
    description:
      "Your organisation has no candidate with this id, or the candidate is already erased. On a retry this means success.",
    codes: { not_found: noCandidate },
  },
  NoCandidateToAdvance: {
    description:
      "Your organisation has no candidate with this id, or there is no such transition; in that case, the message lists the transitions.",
    codes: { not_found: noCandidate },
  },
  WebhookEndpointNotFound: {
    description: "Your organisation has no endpoint with this id.",
    codes: {
      not_found:
        "Your organisation has no webhook endpoint with this id. Check the id against the list of endpoints.",
    },
  },
  WebhookDeliveryNotFound: {
    description:
      "Your organisation has no such endpoint, or the endpoint had no delivery of this event in the last 30 days.",
    codes: {
      not_found:
        "The endpoint has no delivery of this event in the last 30 days. List its deliveries to find one.",
    },
  },
  RecoveryNotFound: {
    description:
      "Your organisation has no such endpoint, or the endpoint had no recovery with this id in the last 30 days.",
    codes: {
      not_found:
        "The endpoint has no recovery with this id in the last 30 days. Check the id, or start another recovery.",
    },
  },
  PreconditionFailed: {
    description: "The record has changed since the version in `If-Match`. Nothing was written.",
    codes: { precondition_failed: new PreconditionFailed().message },
  },
  PayloadTooLarge: {
    description: `The body is larger than ${BODY_LIMIT}, or the candidate would not fit into a response of 6 MB.`,
    codes: { payload_too_large: new PayloadTooLarge().message },
  },
  UnsupportedMediaType: {
    description:
      "The body is not JSON in UTF-8: it has another media type, another charset, or a `Content-Encoding`. " +
      "A body without a content type is read as JSON.",
    codes: { unsupported_media_type: new UnsupportedMediaType().message },
  },
  RateLimited: {
    description: "Too many requests. Repeat the request after `Retry-After`.",
    codes: { rate_limited: GATEWAY_MESSAGES.rate_limited },
    // Absent if the web ACL refuses, which can only add headers with fixed values (AWS WAF developer guide,
    // "Sending custom responses for Block actions").
    headers: { ...retryAfter, "X-Request-Id": requestId },
  },
  InternalError: {
    description:
      "The service failed, and it is unknown whether a write succeeded. Creating a candidate is idempotent, and amending sets the same values again, so both may be repeated; " +
      "if the first amend succeeded, a repeated one gets a 412 with `If-Match`, and a repeated withdrawal of consent a 404. " +
      "Before you repeat the registration of an endpoint, look for it in the list. " +
      "A repeated rotation of a secret revokes at once the secret that your receiver still uses: give it the new one immediately.",
    codes: { internal_error: new InternalError().message },
  },
  ServiceUnavailable: {
    description:
      "A dependency of the service does not respond. It is unknown whether a write succeeded: see `500` before you repeat it.",
    codes: { service_unavailable: new ServiceUnavailable().message },
    headers: retryAfter,
  },
  Timeout: {
    description:
      "The service took too long. It is unknown whether a write succeeded: see `500` before you repeat it.",
    codes: { timeout: GATEWAY_MESSAGES.timeout },
  },
  OtherError: {
    description:
      "Any other refusal, in the same form: 405 for a method that the path does not offer, 404 for an unknown path.",
    codes: { method_not_allowed: "This path supports GET, POST." },
    headers: allow,
  },
} as const satisfies Readonly<Record<string, ErrorResponse>>;

type ErrorName = keyof typeof errors;

/** The 404 for a kind of resource. */
export type NotFoundName = {
  [Name in ErrorName]: (typeof errors)[Name]["codes"] extends { readonly not_found: string } ? Name : never;
}[ErrorName];

const EVERY_OPERATION: readonly ErrorName[] = [
  "InvalidRequest",
  "Unauthorized",
  "RateLimited",
  "InternalError",
  "ServiceUnavailable",
  "Timeout",
];
/** The errors that only some operations have, besides a 404. */
const OF_SOME: readonly ErrorName[] = ["PreconditionFailed", "EventsExpired"];

/** The error responses as components of the description. */
export const errorComponents: Readonly<Record<string, ZodOpenApiResponseObject>> = Object.fromEntries(
  Object.entries<ErrorResponse>(errors).map(([name, { description, codes, headers }]) => [
    name,
    {
      description,
      headers: { ...commonHeaders, ...headers },
      content: json(
        ErrorEnvelope,
        Object.fromEntries(
          Object.entries(codes).map(([error, message]) => [error, { value: { error, message } }]),
        ),
      ),
    },
  ]),
);

/** An operation's errors by status code: its own, those of a body, and those of every operation. */
export function errorResponses(
  { method, body, errors: own }: OperationDefinition,
  notFound: NotFoundName | undefined,
) {
  const named = OF_SOME.filter((name) => own.some((code) => code in errors[name].codes));
  // The last one of a status counts: what an operation says itself of its 400.
  const names: readonly ErrorName[] = [
    ...EVERY_OPERATION,
    ...(method === "GET" ? [] : ["UnsupportedMediaType" as const]),
    ...(body ? ["PayloadTooLarge" as const] : []),
    ...(notFound ? [notFound] : []),
    ...named,
  ];
  return {
    ...Object.fromEntries(names.map((name) => [statusOf(name), reference(name)])),
    default: reference("OtherError"),
  };
}

function statusOf(name: ErrorName): number {
  const [code] = Object.keys(errors[name].codes) as [ErrorCode];
  return ERROR_STATUS[code];
}

function reference(name: ErrorName) {
  return { $ref: `#/components/responses/${name}` } as const;
}
