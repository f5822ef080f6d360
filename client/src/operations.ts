// Made from lib/contract/operations.ts by `npm run client`.

/** Every operation's method, path and status of success. */
export const operations = {
  createCandidate: {
    method: "POST",
    path: "/v1/candidates",
    status: 201,
  },
  findCandidate: {
    method: "GET",
    path: "/v1/candidates",
    status: 200,
  },
  getCandidate: {
    method: "GET",
    path: "/v1/candidates/{id}",
    status: 200,
  },
  amendCandidate: {
    method: "PUT",
    path: "/v1/candidates/{id}",
    status: 200,
  },
  requestErasure: {
    method: "POST",
    path: "/v1/candidates/{id}/erasure",
    status: 202,
  },
  createCandidateBatch: {
    method: "POST",
    path: "/v1/candidate-batches",
    status: 200,
  },
  createWebhookEndpoint: {
    method: "POST",
    path: "/v1/webhook-endpoints",
    status: 201,
  },
  listWebhookEndpoints: {
    method: "GET",
    path: "/v1/webhook-endpoints",
    status: 200,
  },
  getWebhookEndpoint: {
    method: "GET",
    path: "/v1/webhook-endpoints/{id}",
    status: 200,
  },
  deleteWebhookEndpoint: {
    method: "DELETE",
    path: "/v1/webhook-endpoints/{id}",
    status: 204,
  },
  updateWebhookEndpoint: {
    method: "PATCH",
    path: "/v1/webhook-endpoints/{id}",
    status: 200,
  },
  testWebhookEndpoint: {
    method: "POST",
    path: "/v1/webhook-endpoints/{id}/test",
    status: 202,
  },
  rotateSigningSecret: {
    method: "POST",
    path: "/v1/webhook-endpoints/{id}/rotate-secret",
    status: 200,
  },
  listWebhookDeliveries: {
    method: "GET",
    path: "/v1/webhook-endpoints/{id}/deliveries",
    status: 200,
  },
  resendWebhookDelivery: {
    method: "POST",
    path: "/v1/webhook-endpoints/{id}/deliveries/{eventId}/resend",
    status: 202,
  },
  listEvents: {
    method: "GET",
    path: "/v1/events",
    status: 200,
  },
  applySandboxTransition: {
    method: "POST",
    path: "/v1/sandbox/candidates/{id}/{transition}",
    status: 204,
  },
  startRecovery: {
    method: "POST",
    path: "/v1/webhook-endpoints/{id}/recoveries",
    status: 202,
  },
  getRecovery: {
    method: "GET",
    path: "/v1/webhook-endpoints/{id}/recoveries/{recoveryId}",
    status: 200,
  },
} as const;
