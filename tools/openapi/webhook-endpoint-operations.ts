import { ENDPOINTS_PER_ORGANISATION } from "#contract/webhook-endpoint";
import type { WordsById } from "./operation-words.ts";
import * as examples from "./webhook-endpoint-examples.ts";

/** The descriptions of operations on webhook endpoints, in the order in which they appear. */
export const webhookEndpointOperations = {
  createWebhookEndpoint: {
    tag: "Webhook endpoints",
    description:
      "Registers an endpoint for events. Only this response contains the `signingSecret`: **store it, because it cannot " +
      `be read again.** An organisation may have up to ${ENDPOINTS_PER_ORGANISATION} endpoints; more are refused with 400.`,
    body: { description: "The endpoint.", examples: { endpoint: { value: examples.registration } } },
    success: {
      description: "Registered. Store the `signingSecret`.",
      examples: {
        endpoint: { value: examples.createdWebhookEndpoint },
      },
    },
  },
  listWebhookEndpoints: {
    tag: "Webhook endpoints",
    description: "All of your organisation's endpoints, oldest first, without their secrets.",
    success: {
      description: "The endpoints.",
      examples: {
        endpoints: { value: { data: [examples.webhookEndpoint] } },
      },
    },
  },
  getWebhookEndpoint: {
    tag: "Webhook endpoints",
    description: "One endpoint, without its secret.",
    success: { description: "The endpoint.", examples: { endpoint: { value: examples.webhookEndpoint } } },
    notFound: "WebhookEndpointNotFound",
  },
  updateWebhookEndpoint: {
    tag: "Webhook endpoints",
    description:
      "Changes the members in the body and keeps all others. A new `url` applies from the next attempt on, including " +
      "pending deliveries; new `eventTypes` apply to events that fire from then on. `active: false` stops " +
      "deliveries; events that fire while it is false are sent later only by a recovery. `active: true` resumes them, even if the " +
      "service itself set the endpoint inactive.",
    body: {
      description: "The changes.",
      examples: {
        resume: { summary: "Resume deliveries", value: { active: true } },
        move: { summary: "Send to another address", value: { url: "https://hooks.example.com/v2" } },
      },
    },
    success: {
      description: "The endpoint after the change.",
      examples: {
        endpoint: { value: examples.webhookEndpoint },
      },
    },
    notFound: "WebhookEndpointNotFound",
  },
  deleteWebhookEndpoint: {
    tag: "Webhook endpoints",
    description: "Deletes the endpoint. Its pending attempts are dropped.",
    success: { description: "Deleted." },
    notFound: "WebhookEndpointNotFound",
  },
  listWebhookDeliveries: {
    tag: "Webhook endpoints",
    description:
      "The endpoint's deliveries of the last 30 days, newest event first, in pages. They contain ids, times " +
      "and outcomes, but no candidate data. A page with a `nextCursor` is not the last. If a status is very rare, a " +
      "page may contain fewer deliveries than `limit`, or none, and still have a `nextCursor`.",
    query: {
      cursor: "The `nextCursor` of the previous page. Keep the other parameters the same.",
      limit: {
        description: "The maximum number of deliveries on a page.",
        schema: { type: "integer", minimum: 1, maximum: 100, default: 20 },
      },
      status: "Only deliveries with this status.",
    },
    success: {
      description: "A page of deliveries.",
      examples: {
        page: { value: examples.webhookDeliveryPage },
      },
    },
    notFound: "WebhookEndpointNotFound",
  },
  resendWebhookDelivery: {
    tag: "Webhook endpoints",
    description:
      "Sends the event again, starting from its first attempt, with the same event id and byte for byte the same body, " +
      "to the endpoint's current `url` and signed with its current secret. Refused with 400 if the endpoint is inactive, " +
      "the event is a sample, the delivery has 100 attempts, or the candidate has been erased since, even if it was " +
      "created again. `candidate.erased` itself can be sent again until the candidate is created again.",
    success: { description: "The event is queued for delivery." },
    notFound: "WebhookDeliveryNotFound",
  },
  startRecovery: {
    tag: "Webhook endpoints",
    description:
      "Sends the endpoint every event of a period that it has not acknowledged, including events that fired while it " +
      "was inactive or before it existed. The events are those of the given types in the event feed (`GET " +
      "/v1/events`), except events about the endpoint itself. Each is sent starting from its first attempt, with the " +
      "same event id and byte for byte the same body, at most fifty a second, and does not delay live deliveries. " +
      "Events whose next attempt is less than 15 minutes away are not sent by the recovery. If a candidate has been " +
      "erased, only `candidate.erased` is sent. An event that is being delivered at that moment may arrive twice. A " +
      "second recovery of the same period sends the events that are still not acknowledged. Refused with 400 if the " +
      "endpoint is inactive, if another recovery of it is running, or if `since` is older than the feed " +
      "(`events_expired`).",
    body: {
      description:
        "The period and the types of the events. In the samples, replace `since` by the start of your outage: events " +
        "from before the last 30 days may no longer be kept.",
      examples: {
        outage: {
          summary: "Everything since an outage began",
          value: { since: examples.recovery.since },
        },
        types: {
          summary: "Two types, in a given period",
          value: {
            since: examples.recovery.since,
            until: examples.recovery.until,
            eventTypes: ["candidate.promoted", "candidate.erased"],
          },
        },
      },
    },
    success: {
      description: "Started. Follow it at `GET …/recoveries/{recoveryId}`.",
      examples: { recovery: { value: examples.recovery } },
    },
    notFound: "WebhookEndpointNotFound",
  },
  getRecovery: {
    tag: "Webhook endpoints",
    description:
      "The progress of a recovery of the last 30 days. It is `completed` when every event is queued: the last are sent " +
      "up to seven minutes later. It is `failed` if the endpoint became inactive or was deleted, if its next " +
      "events are no longer kept, or if the service failed repeatedly: `reason` says which. Another recovery then " +
      "sends the remaining events.",
    success: {
      description: "The recovery.",
      examples: { recovery: { value: examples.completedRecovery } },
    },
    notFound: "RecoveryNotFound",
  },
  rotateSigningSecret: {
    tag: "Webhook endpoints",
    description:
      "Replaces the endpoint's secret. The new one is returned **only once**. `X-RR-Signature` is keyed with it from the " +
      "next attempt on; for 24 hours each delivery also has `X-RR-Signature-Previous`, keyed with the previous secret. " +
      "If a secret has leaked, rotate twice to invalidate it at once.",
    success: {
      description: "Rotated. Store the new `signingSecret`.",
      examples: {
        endpoint: { value: examples.rotatedWebhookEndpoint },
      },
    },
    notFound: "WebhookEndpointNotFound",
  },
  testWebhookEndpoint: {
    tag: "Webhook endpoints",
    description:
      "Sends the endpoint a sample of its first event type: a complete event with sample ids and " +
      '`"sample": true`, signed like any other, and attempted once, even if the endpoint is inactive. A request ' +
      "without a response after 2 seconds may be sent once more, and then has 10 seconds.",
    query: {
      eventType: {
        description:
          "Another type for the sample, even if the endpoint is not subscribed to it. An extension of the contract; other query parameters are ignored.",
        "x-extension": true,
      },
    },
    success: { description: "A sample is queued for delivery." },
    notFound: "WebhookEndpointNotFound",
  },
} satisfies Partial<WordsById>;
