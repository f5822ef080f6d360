import { type EventPage, encodedCursor } from "#contract/event-feed";
import {
  CONTRACT_VERSION,
  type EventType,
  FeedEvent,
  isEndpointEventType,
  type WebhookEvent,
} from "#contract/events";
import { handles, reason } from "./candidate-examples.ts";

const snapshot = { ...handles, externalId: "ext-1001" };

const endpointId = "whe_06dcb7s2m0yr4gv0w3q8n5tk00";

/** The content of each event of one candidate, in the order in which they fire, and of each about an endpoint. */
const data: { readonly [Type in EventType]: Extract<WebhookEvent, { type: Type | EventType }>["data"] } = {
  "candidate.received": {
    ...snapshot,
    id: null,
    status: "received",
    verificationStatus: "in_review",
    availabilityStatus: "pending",
  },
  "candidate.validation_failed": {
    ...snapshot,
    id: null,
    status: "validation_failed",
    verificationStatus: "in_review",
    availabilityStatus: "pending",
    reasons: [reason],
  },
  "candidate.verified": {
    ...snapshot,
    id: null,
    status: "verified",
    verificationStatus: "verified",
    availabilityStatus: "pending",
  },
  "candidate.promoted": {
    ...snapshot,
    status: "promoted",
    verificationStatus: "verified",
    availabilityStatus: "available",
  },
  "candidate.consent_revoked": {
    ...snapshot,
    status: "consent_revoked",
    verificationStatus: "verified",
    availabilityStatus: "pending",
  },
  "candidate.consent_restored": {
    ...snapshot,
    status: "promoted",
    verificationStatus: "verified",
    availabilityStatus: "available",
  },
  "candidate.erased": { ...handles, status: "erased" },
  "webhook_endpoint.failing": { webhookEndpointId: endpointId, failingSince: "2026-11-20T09:08:00.000Z" },
  "webhook_endpoint.disabled": {
    webhookEndpointId: endpointId,
    failingSince: "2026-11-16T09:09:00.000Z",
    disabledAt: "2026-11-21T09:09:00.000Z",
    disabledReason: "failing",
  },
};

/** The example event of a type. */
export function event(type: EventType) {
  const index = Object.keys(data).indexOf(type);
  const number = (value: number) => String(value).padStart(2, "0");
  return {
    id: `evt_06dcb7s2m0yr4gv0w3q8n5tk${number(index)}`,
    type,
    apiVersion: CONTRACT_VERSION,
    occurredAt: `2026-11-21T09:${number(index + 1)}:00.000Z`,
    ...(!isEndpointEventType(type) && { sequence: index + 1 }),
    data: data[type],
  };
}

export const eventPage: EventPage = {
  data: [event("candidate.received"), event("candidate.erased")].map((each) => FeedEvent.parse(each)),
  nextCursor: encodedCursor("org_06dcb7s2m0yr4gv0w3q8n5tk00", "2026-11-21T09:07:30.000Z", 0),
  hasMore: false,
};
