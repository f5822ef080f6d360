import * as z from "zod/mini";
import { AvailabilityStatus, CandidateStatus, VerificationStatus } from "#contract/candidate-status";
import { EventReason, type Reason } from "#contract/reason";

/** The version of the contract that this service implements. Events carry it as `apiVersion`. */
export const CONTRACT_VERSION = "1.2.0";

/** The six event types of the contract ("Events"). */
const CONTRACT_EVENT_TYPES = [
  "candidate.received",
  "candidate.verified",
  "candidate.promoted",
  "candidate.validation_failed",
  "candidate.consent_revoked",
  "candidate.erased",
] as const;

/** The event types about a candidate beyond the contract. */
const CANDIDATE_EXTENSION_TYPES = ["candidate.consent_restored"] as const;

/** The event types about a candidate: the contract's, and those beyond it. */
export const CANDIDATE_EVENT_TYPES = [...CONTRACT_EVENT_TYPES, ...CANDIDATE_EXTENSION_TYPES] as const;
export const CandidateEventType = z.enum(CANDIDATE_EVENT_TYPES);
export type CandidateEventType = z.infer<typeof CandidateEventType>;

/**
 * The event types about a webhook endpoint, sent to the other endpoints of its organisation.
 *
 * @internal Exported for the simulation and for tests.
 */
export const ENDPOINT_EVENT_TYPES = ["webhook_endpoint.failing", "webhook_endpoint.disabled"] as const;
export type EndpointEventType = (typeof ENDPOINT_EVENT_TYPES)[number];

/** The event types beyond the contract. An endpoint receives one only if its `eventTypes` contains it. */
export const EXTENSION_EVENT_TYPES = [...CANDIDATE_EXTENSION_TYPES, ...ENDPOINT_EVENT_TYPES] as const;

/** Every event type that an endpoint may subscribe to. */
export const EVENT_TYPES = [...CONTRACT_EVENT_TYPES, ...EXTENSION_EVENT_TYPES] as const;
export const EventType = z.enum(EVENT_TYPES);
export type EventType = z.infer<typeof EventType>;

const candidateHandles = {
  stagedId: z.string(),
  /** The canonical id; null before promotion. */
  id: z.nullable(z.string()),
};

const candidateStatuses = {
  status: CandidateStatus,
  verificationStatus: VerificationStatus,
  availabilityStatus: AvailabilityStatus,
};

/** `evt_…`, also sent in the header `X-RR-Event-Id`. Receivers deduplicate by it. */
const id = z.string();

/** Present, and true, only in the sample sent by `POST /v1/webhook-endpoints/{id}/test`. */
const sample = z.optional(z.literal(true));

const envelope = {
  apiVersion: z.string(),
  occurredAt: z.string(),
  /** Numbers the candidate's events from 1 without gaps. Receivers order events by it. */
  sequence: z.int(),
  sample,
};

/**
 * An event about a candidate. Events are thin: handles, `externalId`, statuses, times and reasons, and nothing else
 * about the candidate. Subscribers fetch the candidate's record if they need more.
 */
function candidateEvent<
  ExternalId extends z.ZodMiniType<string | null>,
  Reasons extends z.ZodMiniType<Reason[] | null>,
>(externalId: ExternalId, reasons: Reasons) {
  const snapshot = { ...candidateHandles, externalId, ...candidateStatuses };
  return z.discriminatedUnion("type", [
    z.object({
      id,
      // All types but those of the other options.
      type: z.enum(
        CANDIDATE_EVENT_TYPES.filter(
          (type) => type !== "candidate.validation_failed" && type !== "candidate.erased",
        ),
      ),
      ...envelope,
      data: z.object(snapshot),
    }),
    z.object({
      id,
      type: z.literal("candidate.validation_failed"),
      ...envelope,
      data: z.object({ ...snapshot, reasons }),
    }),
    z.object({
      id,
      type: z.literal("candidate.erased"),
      ...envelope,
      data: z.object({ ...candidateHandles, status: z.literal("erased") }),
    }),
  ]);
}

/** An event about a candidate, as subscribers receive it. */
export const CandidateEvent = candidateEvent(z.string(), z.array(EventReason));
export type CandidateEvent = z.infer<typeof CandidateEvent>;

/** An event about a candidate in the event feed: `externalId` and `reasons` are null once the candidate is erased. */
export const CandidateFeedEvent = candidateEvent(z.nullable(z.string()), z.nullable(z.array(EventReason)));
export type CandidateFeedEvent = z.infer<typeof CandidateFeedEvent>;

/** Why the service set an endpoint inactive: it kept failing, or its receiver responded with 410 Gone. */
export const DisabledReason = z.enum(["failing", "gone"]);
export type DisabledReason = z.infer<typeof DisabledReason>;

const endpointEnvelope = { apiVersion: z.string(), occurredAt: z.string(), sample };

/**
 * An event about a webhook endpoint (an extension). It has no `sequence`, which numbers a candidate's events, and not
 * the endpoint's URL, which may contain a secret.
 */
export const EndpointEvent = z.discriminatedUnion("type", [
  z.object({
    id,
    type: z.literal("webhook_endpoint.failing"),
    ...endpointEnvelope,
    data: z.object({ webhookEndpointId: z.string(), failingSince: z.string() }),
  }),
  z.object({
    id,
    type: z.literal("webhook_endpoint.disabled"),
    ...endpointEnvelope,
    data: z.object({
      webhookEndpointId: z.string(),
      /** Absent if its attempts did not fail before it responded with 410. */
      failingSince: z.optional(z.string()),
      disabledAt: z.string(),
      disabledReason: DisabledReason,
    }),
  }),
]);
export type EndpointEvent = z.infer<typeof EndpointEvent>;

/** The body of a webhook delivery. */
export const WebhookEvent = z.discriminatedUnion("type", [CandidateEvent, EndpointEvent]);
export type WebhookEvent = z.infer<typeof WebhookEvent>;

/** An event of the event feed: the body of its webhook deliveries, but for what an erasure removes. */
export const FeedEvent = z.discriminatedUnion("type", [
  ...CandidateFeedEvent._zod.def.options,
  ...EndpointEvent._zod.def.options,
]);
export type FeedEvent = z.infer<typeof FeedEvent>;

/** Whether events of a type are about a webhook endpoint, and not about a candidate. */
export function isEndpointEventType(type: EventType): type is EndpointEventType {
  return ENDPOINT_EVENT_TYPES.some((each) => each === type);
}

/** Whether an event is about a webhook endpoint, and not about a candidate. */
export function isEndpointEvent<Event extends { readonly type: EventType }>(
  event: Event,
): event is Extract<Event, { readonly type: EndpointEventType }> {
  return isEndpointEventType(event.type);
}
