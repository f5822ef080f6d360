import { randomBytes } from "node:crypto";
import type { AttributeValue } from "@aws-sdk/client-dynamodb";
import { SQSServiceException } from "@aws-sdk/client-sqs";
import { marshall } from "@aws-sdk/util-dynamodb";
import { digestOf } from "#candidates/handles";
import type { OutboxRecord } from "#candidates/outbox/outbox";
import { type CandidateItem, packMembers } from "#candidates/store/item/candidate-item";
import { candidateKey } from "#candidates/store/item/candidate-key";
import { ITEM_VERSION } from "#candidates/store/item/item-version";
import { newOutboxEvent } from "#candidates/store/item/outbox-event";
import { CandidateSubmission } from "#contract/candidate-submission";
import {
  CandidateEvent,
  type CandidateEventType,
  type EndpointEvent,
  EVENT_TYPES,
  type WebhookEvent,
} from "#contract/events";
import { newEndpointId, newEventId } from "#contract/identifiers";
import type { Reason } from "#contract/reason";
import { runtime } from "#runtime/runtime";
import type { Delivery } from "#webhooks/delivery/delivery";
import type { StoredEndpoint } from "#webhooks/endpoints/stored-endpoint";
import { ACME } from "../builders/organisation.ts";
import { aFullSubmission } from "../builders/submission.ts";

export const NOW = new Date("2026-06-01T12:00:00.000Z");

/** What the slowest of all deliveries takes, each request as long as it may; deliver.test.ts adds it up. */
export const SLOWEST_DELIVERY_MS = 76_000;

/** What publishing the slowest batch takes that has one event to park; publish.test.ts adds it up. */
export const SLOWEST_BATCH_MS = 32_250;

/** The `externalId` of the candidate of {@link anEvent}. */
export const EXTERNAL_ID = "ext-1 ü 😀";

/** An event as it is delivered. */
export function anEvent(overrides: Partial<WebhookEvent> = {}): WebhookEvent {
  return {
    id: newEventId(runtime),
    type: "candidate.received",
    apiVersion: "1.2.0",
    occurredAt: NOW.toISOString(),
    sequence: 1,
    data: {
      stagedId: `staged_${"0".repeat(26)}`,
      id: null,
      externalId: EXTERNAL_ID,
      status: "received",
      verificationStatus: "in_review",
      availabilityStatus: "pending",
    },
    ...overrides,
  } as WebhookEvent;
}

/** An event as large as any in the feed: of a promoted candidate, with both handles. */
export function aRejection(): CandidateEvent {
  const digest = randomBytes(13).toString("hex");
  return CandidateEvent.parse({
    ...anEvent(),
    type: "candidate.validation_failed",
    data: {
      externalId: EXTERNAL_ID,
      verificationStatus: "in_review",
      availabilityStatus: "pending",
      stagedId: `staged_${digest}`,
      id: `cand_${digest}`,
      status: "validation_failed",
      reasons: [{ code: "cv_unreadable", message: "The CV could not be opened." }],
    },
  });
}

/** An event about an endpoint, which has failed for five days. */
export function anEndpointEvent({ id } = anEndpoint()): EndpointEvent {
  return {
    id: newEventId(runtime),
    type: "webhook_endpoint.disabled",
    apiVersion: "1.2.0",
    occurredAt: NOW.toISOString(),
    data: {
      webhookEndpointId: id,
      failingSince: "2026-05-27T12:00:00.000Z",
      disabledAt: NOW.toISOString(),
      disabledReason: "failing",
    },
  };
}

/** The first attempt of an event at an endpoint, due now. */
export function aDelivery(
  overrides: Partial<Delivery> & { readonly body?: string } = {},
): Delivery & { readonly body: string } {
  const event = anEvent();
  return {
    orgId: "acme",
    endpointId: newEndpointId(runtime),
    eventId: event.id,
    eventType: event.type,
    body: JSON.stringify(event),
    attempt: 1,
    dueAt: NOW.toISOString(),
    ...overrides,
  };
}

/** An active endpoint that is subscribed to every type. */
export function anEndpoint(overrides: Partial<StoredEndpoint> = {}): StoredEndpoint {
  return {
    id: newEndpointId(runtime),
    orgId: "acme",
    url: "https://receiver.example.com/hooks",
    eventTypes: [...EVENT_TYPES],
    active: true,
    createdAt: NOW.toISOString(),
    description: null,
    version: 1,
    sealedSecret: "1.sealed",
    sealingKeyId: "1",
    ...overrides,
  };
}

interface RecordParts {
  readonly orgId?: string;
  readonly submission?: Parameters<typeof aFullSubmission>[0];
  readonly type?: CandidateEventType;
  readonly reasons?: readonly Reason[];
  /** Attributes of the item beside the members; undefined takes one away. */
  readonly attributes?: Readonly<Record<string, unknown>>;
  readonly sequenceNumber?: string;
}

let written = 0;

/** A candidate's item as a write that fires an event leaves it. */
export function anItem({ orgId = "acme", submission = {}, type, reasons, attributes }: RecordParts = {}) {
  const members = CandidateSubmission.parse(aFullSubmission(submission));
  const occurredAt = NOW.toISOString();
  return {
    ...candidateKey(orgId, digestOf(ACME, members.externalId)),
    ...packMembers(members).attributes,
    status: "received",
    verificationStatus: "in_review",
    availabilityStatus: "pending",
    receivedAt: occurredAt,
    updatedAt: occurredAt,
    writeId: "write",
    itemVersion: ITEM_VERSION,
    event: newOutboxEvent(
      type ?? "candidate.received",
      { eventId: newEventId(runtime), updatedAt: occurredAt },
      reasons,
    ),
    sequence: 1,
    firstSequence: 1,
    ...attributes,
  } as unknown as CandidateItem;
}

/** The stream's record of a write that fires an event about an endpoint. */
export function anEndpointOutboxRecord(endpoint: StoredEndpoint): OutboxRecord {
  written += 1;
  const { id, type, occurredAt, data } = anEndpointEvent(endpoint);
  const { webhookEndpointId: _, ...health } = data;
  const key = { pk: `ENDPOINTS#${endpoint.orgId}`, sk: `ENDPOINT#${endpoint.id}` };
  return {
    sequenceNumber: String(100_000_000_000 + written),
    newImage: marshall({ ...key, ...endpoint, ...health, event: { id, type, occurredAt } }),
  };
}

/** The stream's record of a write that fires an event about a candidate. */
export function anOutboxRecord(parts: RecordParts = {}): OutboxRecord {
  written += 1;
  return {
    sequenceNumber: parts.sequenceNumber ?? String(100_000_000_000 + written),
    newImage: marshall(anItem(parts), { removeUndefinedValues: true }) as Record<string, AttributeValue>,
  };
}

/** An attempt as it is recorded, a second after the one before. */
export const anAttempt = (attempt: number, outcome: object) => ({
  attempt,
  at: new Date(NOW.getTime() + attempt * 1_000).toISOString(),
  durationMs: 12,
  ...outcome,
});

/** SQS's refusal of a request because there are too many. */
export const SQS_THROTTLED = new SQSServiceException({
  name: "ThrottlingException",
  $fault: "client",
  message: "Rate exceeded",
  $metadata: { httpStatusCode: 400 },
});
