import type { Recovery } from "#contract/recovery";
import type { WebhookDeliveryPage } from "#contract/webhook-delivery";
import type {
  CreatedWebhookEndpoint,
  RotatedWebhookEndpoint,
  WebhookEndpoint,
  WebhookEndpointRegistration,
} from "#contract/webhook-endpoint";

export const registration: WebhookEndpointRegistration = {
  url: "https://hooks.example.com/candidates",
  eventTypes: ["candidate.received", "candidate.promoted"],
  description: "Feeds the talent pool",
};

export const webhookEndpoint: WebhookEndpoint = {
  id: "whe_06dcb7s2m0yr4gv0w3q8n5tk00",
  url: "https://hooks.example.com/candidates",
  eventTypes: ["candidate.received", "candidate.promoted"],
  active: true,
  createdAt: "2026-11-21T08:55:00.000Z",
  description: "Feeds the talent pool",
};

export const createdWebhookEndpoint: CreatedWebhookEndpoint = {
  ...webhookEndpoint,
  signingSecret: "whsec_mG4xkfRg0pXo3VvUq1cZ6nJ8hY2sT5wB7dLrEaKiQyM=",
};

export const rotatedWebhookEndpoint: RotatedWebhookEndpoint = {
  ...webhookEndpoint,
  signingSecret: "whsec_Zt0cWq8LhV3nJx5bKdR7uYp2mEoA9sGiF4vTlXyHwQk=",
  previousSecretExpiresAt: "2026-11-22T09:00:00.000Z",
};

export const webhookDeliveryPage: WebhookDeliveryPage = {
  data: [
    {
      eventId: "evt_06dcb7s2m0yr4gv0w3q8n5tk00",
      eventType: "candidate.received",
      status: "pending",
      attempts: [
        { attempt: 1, at: "2026-11-21T09:01:00.400Z", durationMs: 10_000, failure: "timeout" },
        { attempt: 2, at: "2026-11-21T09:01:15.900Z", durationMs: 112, statusCode: 500 },
      ],
      nextAttemptAt: "2026-11-21T09:02:18.200Z",
    },
  ],
  nextCursor: "ZXZ0XzA2ZGNiN3MybTB5cjRndjB3M3E4bjV0azAw",
};

export const recovery: Recovery = {
  id: "rec_06dcb7s2m0yr4gv0w3q8n5tk00",
  status: "running",
  found: 0,
  sent: 0,
  since: "2026-11-20T18:00:00.000Z",
  until: "2026-11-21T09:00:00.000Z",
  eventTypes: ["candidate.received", "candidate.promoted"],
  startedAt: "2026-11-21T09:00:00.000Z",
};

export const completedRecovery: Recovery = {
  ...recovery,
  status: "completed",
  found: 1_204,
  sent: 1_198,
  endedAt: "2026-11-21T09:00:06.200Z",
};
