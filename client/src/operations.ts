// Made from lib/contract/operations.ts by `npm run client`.

/** Every operation's method and path. */
export const operations = {
  createCandidate: { method: "POST", path: "/v1/candidates" },
  findCandidate: { method: "GET", path: "/v1/candidates" },
  getCandidate: { method: "GET", path: "/v1/candidates/{id}" },
  amendCandidate: { method: "PUT", path: "/v1/candidates/{id}" },
  requestErasure: { method: "POST", path: "/v1/candidates/{id}/erasure" },
  createCandidateBatch: { method: "POST", path: "/v1/candidate-batches" },
  createWebhookEndpoint: { method: "POST", path: "/v1/webhook-endpoints" },
  listWebhookEndpoints: { method: "GET", path: "/v1/webhook-endpoints" },
  getWebhookEndpoint: { method: "GET", path: "/v1/webhook-endpoints/{id}" },
  deleteWebhookEndpoint: { method: "DELETE", path: "/v1/webhook-endpoints/{id}" },
  updateWebhookEndpoint: { method: "PATCH", path: "/v1/webhook-endpoints/{id}" },
  testWebhookEndpoint: { method: "POST", path: "/v1/webhook-endpoints/{id}/test" },
  rotateSigningSecret: { method: "POST", path: "/v1/webhook-endpoints/{id}/rotate-secret" },
  listWebhookDeliveries: { method: "GET", path: "/v1/webhook-endpoints/{id}/deliveries" },
  resendWebhookDelivery: { method: "POST", path: "/v1/webhook-endpoints/{id}/deliveries/{eventId}/resend" },
  listEvents: { method: "GET", path: "/v1/events" },
  applySandboxTransition: { method: "POST", path: "/v1/sandbox/candidates/{id}/{transition}" },
  startRecovery: { method: "POST", path: "/v1/webhook-endpoints/{id}/recoveries" },
  getRecovery: { method: "GET", path: "/v1/webhook-endpoints/{id}/recoveries/{recoveryId}" },
} as const;
