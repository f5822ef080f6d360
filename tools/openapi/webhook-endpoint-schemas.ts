import { EXTENSION_EVENT_TYPES } from "#contract/events";
import { Recovery, RecoveryRequest } from "#contract/recovery";
import { DeliveryAttempt, WebhookDelivery, WebhookDeliveryPage } from "#contract/webhook-delivery";
import {
  CreatedWebhookEndpoint,
  ENDPOINTS_PER_ORGANISATION,
  RotatedWebhookEndpoint,
  WebhookEndpoint,
  WebhookEndpointList,
  WebhookEndpointRegistration,
  WebhookEndpointUpdate,
} from "#contract/webhook-endpoint";
import { type Described, described, moment, type Text, type TextsOf } from "./described.ts";
import { disabledReasons, health } from "./events.ts";

const webhookEndpoint: TextsOf<typeof WebhookEndpoint> = {
  id: { description: "The endpoint's id.", pattern: "^whe_", examples: ["whe_06dcb7s2m0yr4gv0w3q8n5tk00"] },
  url: { description: "The address to which deliveries are sent.", format: "uri" },
  eventTypes: "The event types that the endpoint receives.",
  active:
    "Whether deliveries are sent. It becomes false when the receiver returns `410 Gone`, or when for five days no attempt has succeeded and at least ten have failed, on at least three days.",
  createdAt: moment("When it was registered."),
  description: "Your own note; null if there is none.",
  failingSince: {
    ...health.failingSince,
    description: "When the current series of failed attempts began; absent while attempts succeed.",
    "x-extension": true,
  },
  disabledAt: {
    ...health.disabledAt,
    description:
      "When the endpoint was set inactive, by the service or at your request; removed when you make it active again.",
    "x-extension": true,
  },
  disabledReason: {
    description: `Why the endpoint was set inactive. ${disabledReasons} \`by_request\`: you set \`active\` to false.`,
    "x-extension": true,
  },
  lastSuccessAt: {
    ...moment(
      "When an attempt last succeeded; absent if none has. Recorded about once an hour while all attempts succeed: it may " +
        "be up to 75 minutes older than the last success.",
    ),
    "x-extension": true,
  },
};

const signingSecret: Text = {
  description:
    "The secret that signs deliveries. **Store it: it is returned only once and cannot be read again.**",
  pattern: "^whsec_",
  examples: ["whsec_mG4xkfRg0pXo3VvUq1cZ6nJ8hY2sT5wB7dLrEaKiQyM="],
};

const registration: TextsOf<typeof WebhookEndpointRegistration> = {
  url:
    "An https URL with a host name or a public IP address, without user name and password. Private, " +
    "loopback, link-local and other special addresses are refused. (The local stack also accepts loopback, over http.) " +
    "Its port must be 443, or 1024 or above. " +
    "A host name has at most 253 characters, in labels of 1 to 63 letters, digits, `-` and `_`, and does not begin " +
    "with `-`.",
  eventTypes:
    "The event types to receive. Duplicates are removed. Extensions beyond the contract's event types: " +
    `${EXTENSION_EVENT_TYPES.map((type) => `\`${type}\``).join(", ")}.`,
  description: "Your own note.",
};

/** Webhook endpoints, their deliveries and their recoveries. */
export const webhookEndpointSchemas: Readonly<Record<string, Described>> = {
  WebhookEndpointRegistration: described(
    WebhookEndpointRegistration,
    "The endpoint to register. Members that are not listed here are refused.",
    registration,
  ),
  WebhookEndpointUpdate: described(
    WebhookEndpointUpdate,
    "The changes. An omitted member is kept. Null clears the description. Members that are not listed " +
      "here are refused.",
    { ...registration, active: "False stops deliveries, true resumes them." },
  ),
  WebhookEndpoint: described(WebhookEndpoint, "A registered endpoint.", webhookEndpoint),
  CreatedWebhookEndpoint: described(CreatedWebhookEndpoint, "The registered endpoint, with its secret.", {
    ...webhookEndpoint,
    signingSecret,
  }),
  RotatedWebhookEndpoint: described(RotatedWebhookEndpoint, "An endpoint with its new secret.", {
    ...webhookEndpoint,
    signingSecret,
    previousSecretExpiresAt: moment(
      "Until then deliveries are also signed with the previous secret, in `X-RR-Signature-Previous`.",
    ),
  }),
  WebhookEndpointList: described(WebhookEndpointList, "Every endpoint of the organisation.", {
    data: `The endpoints, oldest first; at most ${ENDPOINTS_PER_ORGANISATION}.`,
  }),
  WebhookDeliveryPage: described(WebhookDeliveryPage, "A page of an endpoint's deliveries.", {
    data: "The deliveries, newest event first.",
    nextCursor: "The `cursor` of the next page; absent on the last one.",
  }),
  WebhookDelivery: described(WebhookDelivery, "The delivery of an event to an endpoint.", {
    eventId: { description: "The event's id.", pattern: "^evt_" },
    eventType: "The type of the event.",
    status:
      "`pending`: not acknowledged yet. `delivered`: acknowledged with 2xx. `failed`: exhausted its attempts, had the " +
      "failure after which the endpoint was set inactive, or the service failed repeatedly. `dropped`: ended because " +
      "the endpoint returned 410 or was inactive, or because the candidate was erased: see `reason`.",
    attempts: "Every attempt so far, oldest first.",
    nextAttemptAt: moment("When the next attempt is due; absent if there is none."),
    reason:
      "Why it was dropped; absent if the endpoint was the cause. `candidate_erased`: the candidate was erased after " +
      "the event fired or, of `candidate.erased` itself, created again.",
    sample: "Present, and true, only for a sample.",
  }),
  DeliveryAttempt: described(
    DeliveryAttempt,
    "One attempt of a delivery: with `statusCode`, or with `failure` if there was no response.",
    {
      attempt: { description: "Counts from 1, and again from 1 after a resend.", minimum: 1 },
      at: moment("When the attempt was made."),
      durationMs: {
        description: "The time to the response's headers, or to the failure, in milliseconds.",
        minimum: 0,
      },
      statusCode: { description: "The status code of the receiver's response.", minimum: 100, maximum: 999 },
      failure:
        "Why there was no response, or none that can be read. `invalid_response`: it is not valid HTTP/1.x, has more " +
        "than 16 KiB of headers or 64 KiB before its body, or is a 101.",
    },
  ),
  RecoveryRequest: described(RecoveryRequest, "The events that a recovery sends.", {
    since: "Events since this time (RFC 3339). The feed must still contain them.",
    until:
      "Events until this time, within a second, except those that the service publishes more than five seconds after " +
      "it: these are delivered like new events. If it is omitted or in the future, the time of the call.",
    eventTypes: "The types of the events. If omitted, those that the endpoint is subscribed to.",
  }),
  Recovery: described(Recovery, "A recovery of the events that an endpoint missed.", {
    id: { description: "The recovery's id.", pattern: "^rec_" },
    status:
      "`running`: events are being queued. `completed`: all are queued. `failed`: it ended before that; see `reason`.",
    found: { description: "The events so far that the endpoint has not acknowledged.", minimum: 0 },
    sent: {
      description:
        "Those of them that were queued. The others are attempted soon anyway, belong to an erased candidate, or have had 100 attempts.",
      minimum: 0,
    },
    since: moment("The start of the period."),
    until: moment("The end of the period."),
    eventTypes: "The types of the events.",
    startedAt: moment("When the recovery was started."),
    endedAt: moment("When it ended; absent while it is running."),
    reason: "Why it failed; absent otherwise.",
  }),
};
