import { CandidateBatch, CandidateBatchResponse } from "#contract/candidate-batch";
import { CandidateRecord } from "#contract/candidate-record";
import {
  CandidateAmendment,
  CandidateSubmission,
  CreateResponse,
  ErasureRequest,
  FindCandidateQuery,
} from "#contract/candidate-submission";
import { EventPage, EventsQuery } from "#contract/event-feed";
import type { OperationDefinition } from "#contract/operation-definition";
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

export const applySandboxTransition = {
  operationId: "applySandboxTransition",
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
  applySandboxTransition,
  startRecovery,
  getRecovery,
] as const satisfies readonly OperationDefinition[];

type Row = (typeof operations)[number];
export type OperationId = Row["operationId"];
/** The operations that exist only in environments with a sandbox. */
export type SandboxOperationId = Extract<Row, { readonly sandbox: true }>["operationId"];
