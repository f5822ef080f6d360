import type * as z from "zod/mini";
import { CandidateBatch, CandidateBatchResponse } from "#contract/candidate-batch";
import { CandidateRecord } from "#contract/candidate-record";
import {
  CandidateAmendment,
  CandidateSubmission,
  CreateResponse,
  ErasureRequest,
} from "#contract/candidate-submission";
import type { ErrorCode } from "#contract/errors";
import { EventPage, EventsQuery } from "#contract/event-feed";
import { FindCandidateQuery } from "#contract/parameters";
import { SandboxTransitionRequest } from "#contract/platform-transition";
import { Recovery, RecoveryRequest } from "#contract/recovery";
import { WebhookDeliveriesQuery, WebhookDeliveryPage } from "#contract/webhook-delivery";
import {
  CreatedWebhookEndpoint,
  RotatedWebhookEndpoint,
  SampleQuery,
  WebhookEndpoint,
  WebhookEndpointList,
  WebhookEndpointRegistration,
  WebhookEndpointUpdate,
} from "#contract/webhook-endpoint";

/** The public definition of an operation (contract, "Endpoints"). */
export interface OperationDefinition {
  /** The name in code, logs and the OpenAPI description. The file in `functions/api/` has it in kebab-case. */
  readonly operationId: string;
  readonly method: "GET" | "POST" | "PUT" | "PATCH" | "DELETE";
  readonly path: `/v1/${string}`;
  readonly summary: string;
  readonly body?: z.ZodMiniType;
  /** Present if the body may be omitted, which means `{}`. */
  readonly optionalBody?: true;
  readonly query?: z.ZodMiniObject;
  /** The status code of a success. */
  readonly status: 200 | 201 | 202 | 204;
  /** The body of a success; absent if it is empty. */
  readonly response?: z.ZodMiniType;
  /** Error codes besides those that every operation, or every operation with a body, may return (`tools/openapi/answers.ts`). */
  readonly errors: readonly ErrorCode[];
  /** Present on operations beyond the contract (docs/decisions/0019). */
  readonly extension?: true;
  /** Present on operations that exist only in environments with a sandbox (`infra/environments.ts`). */
  readonly sandbox?: true;
}

/** The parameter names of a path: `"id" | "eventId"` for `/v1/…/{id}/deliveries/{eventId}/resend`. */
export type PathParameter<Path extends string> = Path extends `${string}{${infer Name}}${infer Rest}`
  ? Name | PathParameter<Rest>
  : never;

// A const for each operation, so that a function's bundle contains only its own and the schemas it uses.

export const createCandidate = {
  operationId: "createCandidate",
  method: "POST",
  path: "/v1/candidates",
  summary: "Create a candidate",
  body: CandidateSubmission,
  status: 201,
  response: CreateResponse,
  errors: [],
} as const satisfies OperationDefinition;

export const findCandidate = {
  operationId: "findCandidate",
  method: "GET",
  path: "/v1/candidates",
  summary: "Find a candidate by externalId",
  query: FindCandidateQuery,
  status: 200,
  response: CandidateRecord,
  errors: ["not_found", "consent_revoked"],
} as const satisfies OperationDefinition;

export const getCandidate = {
  operationId: "getCandidate",
  method: "GET",
  path: "/v1/candidates/{id}",
  summary: "Get a candidate",
  status: 200,
  response: CandidateRecord,
  errors: ["not_found", "consent_revoked"],
} as const satisfies OperationDefinition;

export const amendCandidate = {
  operationId: "amendCandidate",
  method: "PUT",
  path: "/v1/candidates/{id}",
  summary: "Amend a candidate",
  body: CandidateAmendment,
  status: 200,
  response: CandidateRecord,
  errors: ["not_found", "consent_revoked", "precondition_failed"],
} as const satisfies OperationDefinition;

export const requestErasure = {
  operationId: "requestErasure",
  method: "POST",
  path: "/v1/candidates/{id}/erasure",
  summary: "Erase a candidate",
  body: ErasureRequest,
  status: 202,
  errors: ["not_found"],
  extension: true,
} as const satisfies OperationDefinition;

export const createCandidateBatch = {
  operationId: "createCandidateBatch",
  method: "POST",
  path: "/v1/candidate-batches",
  summary: "Create up to 100 candidates",
  body: CandidateBatch,
  status: 200,
  response: CandidateBatchResponse,
  errors: [],
  extension: true,
} as const satisfies OperationDefinition;

export const createWebhookEndpoint = {
  operationId: "createWebhookEndpoint",
  method: "POST",
  path: "/v1/webhook-endpoints",
  summary: "Register an endpoint",
  body: WebhookEndpointRegistration,
  status: 201,
  response: CreatedWebhookEndpoint,
  errors: [],
} as const satisfies OperationDefinition;

export const listWebhookEndpoints = {
  operationId: "listWebhookEndpoints",
  method: "GET",
  path: "/v1/webhook-endpoints",
  summary: "List the endpoints",
  status: 200,
  response: WebhookEndpointList,
  errors: [],
} as const satisfies OperationDefinition;

export const getWebhookEndpoint = {
  operationId: "getWebhookEndpoint",
  method: "GET",
  path: "/v1/webhook-endpoints/{id}",
  summary: "Get an endpoint",
  status: 200,
  response: WebhookEndpoint,
  errors: ["not_found"],
} as const satisfies OperationDefinition;

export const deleteWebhookEndpoint = {
  operationId: "deleteWebhookEndpoint",
  method: "DELETE",
  path: "/v1/webhook-endpoints/{id}",
  summary: "Delete an endpoint",
  status: 204,
  errors: ["not_found"],
} as const satisfies OperationDefinition;

export const updateWebhookEndpoint = {
  operationId: "updateWebhookEndpoint",
  method: "PATCH",
  path: "/v1/webhook-endpoints/{id}",
  summary: "Change an endpoint",
  body: WebhookEndpointUpdate,
  status: 200,
  response: WebhookEndpoint,
  errors: ["not_found"],
  extension: true,
} as const satisfies OperationDefinition;

export const testWebhookEndpoint = {
  operationId: "testWebhookEndpoint",
  method: "POST",
  path: "/v1/webhook-endpoints/{id}/test",
  summary: "Send a sample event",
  query: SampleQuery,
  status: 202,
  errors: ["not_found"],
} as const satisfies OperationDefinition;

export const rotateSigningSecret = {
  operationId: "rotateSigningSecret",
  method: "POST",
  path: "/v1/webhook-endpoints/{id}/rotate-secret",
  summary: "Rotate the signing secret",
  status: 200,
  response: RotatedWebhookEndpoint,
  errors: ["not_found"],
  extension: true,
} as const satisfies OperationDefinition;

export const listWebhookDeliveries = {
  operationId: "listWebhookDeliveries",
  method: "GET",
  path: "/v1/webhook-endpoints/{id}/deliveries",
  summary: "List an endpoint's deliveries",
  query: WebhookDeliveriesQuery,
  status: 200,
  response: WebhookDeliveryPage,
  errors: ["not_found"],
  extension: true,
} as const satisfies OperationDefinition;

export const resendWebhookDelivery = {
  operationId: "resendWebhookDelivery",
  method: "POST",
  path: "/v1/webhook-endpoints/{id}/deliveries/{eventId}/resend",
  summary: "Send a delivery again",
  status: 202,
  errors: ["not_found"],
  extension: true,
} as const satisfies OperationDefinition;

export const listEvents = {
  operationId: "listEvents",
  method: "GET",
  path: "/v1/events",
  summary: "List the events",
  query: EventsQuery,
  status: 200,
  response: EventPage,
  errors: ["events_expired"],
  extension: true,
} as const satisfies OperationDefinition;

export const advanceSandboxCandidate = {
  operationId: "advanceSandboxCandidate",
  method: "POST",
  path: "/v1/sandbox/candidates/{id}/{transition}",
  summary: "Move a candidate along its lifecycle",
  body: SandboxTransitionRequest,
  optionalBody: true,
  status: 204,
  errors: ["not_found"],
  extension: true,
  sandbox: true,
} as const satisfies OperationDefinition;

export const startRecovery = {
  operationId: "startRecovery",
  method: "POST",
  path: "/v1/webhook-endpoints/{id}/recoveries",
  summary: "Recover missed events",
  body: RecoveryRequest,
  status: 202,
  response: Recovery,
  errors: ["not_found", "events_expired"],
  extension: true,
} as const satisfies OperationDefinition;

export const getRecovery = {
  operationId: "getRecovery",
  method: "GET",
  path: "/v1/webhook-endpoints/{id}/recoveries/{recoveryId}",
  summary: "Get a recovery",
  status: 200,
  response: Recovery,
  errors: ["not_found"],
  extension: true,
} as const satisfies OperationDefinition;

/** Every operation of the contract and its extensions. */
export const operations = [
  createCandidate,
  findCandidate,
  getCandidate,
  amendCandidate,
  requestErasure,
  createCandidateBatch,
  createWebhookEndpoint,
  listWebhookEndpoints,
  getWebhookEndpoint,
  deleteWebhookEndpoint,
  updateWebhookEndpoint,
  testWebhookEndpoint,
  rotateSigningSecret,
  listWebhookDeliveries,
  resendWebhookDelivery,
  listEvents,
  advanceSandboxCandidate,
  startRecovery,
  getRecovery,
] as const satisfies readonly OperationDefinition[];

type Row = (typeof operations)[number];
export type OperationId = Row["operationId"];
/** The operations that exist only in environments with a sandbox. */
export type SandboxOperationId = Extract<Row, { readonly sandbox: true }>["operationId"];
