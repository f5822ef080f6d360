import * as z from "zod/mini";
import {
  CANDIDATE_EVENT_TYPES,
  CandidateEvent,
  CandidateFeedEvent,
  CONTRACT_VERSION,
  EndpointEvent,
  type EventType,
} from "#contract/events";
import { type Described, described, moment, type TextsOf } from "./described.ts";

/** The meaning of each event type, and the name of its schema. */
export const events: Readonly<Record<EventType, { readonly name: string; readonly meaning: string }>> = {
  "candidate.received": {
    name: "CandidateReceived",
    meaning: "A candidate was accepted into intake. An idempotent retry of the create fires no second event.",
  },
  "candidate.verified": { name: "CandidateVerified", meaning: "The candidate's identity was verified." },
  "candidate.promoted": {
    name: "CandidatePromoted",
    meaning: "The candidate met the exit criteria and is searchable. `data.id` is valid from now on.",
  },
  "candidate.validation_failed": {
    name: "CandidateValidationFailed",
    meaning: "Intake rejected the candidate for `data.reasons`. The event fires again if the reasons change.",
  },
  "candidate.consent_revoked": {
    name: "CandidateConsentRevoked",
    meaning: "Consent was withdrawn and access is frozen: reads return 404 `consent_revoked`.",
  },
  "candidate.consent_restored": {
    name: "CandidateConsentRestored",
    meaning:
      "Consent was given again and access is restored. `data` contains the statuses from before the withdrawal, " +
      "which apply again.",
  },
  "candidate.erased": {
    name: "CandidateErased",
    meaning: "The candidate's data was erased. The event contains only the handles.",
  },
  "webhook_endpoint.failing": {
    name: "WebhookEndpointFailing",
    meaning:
      "Another endpoint of your organisation has been failing for a day, and an attempt has failed again. Fires once " +
      "per series of failures, and is never sent to the endpoint that it is about.",
  },
  "webhook_endpoint.disabled": {
    name: "WebhookEndpointDisabled",
    meaning:
      "The service has set another endpoint of your organisation inactive. Never sent to the endpoint that it is about.",
  },
};

const [Snapshot, Failure, Erasure] = CandidateEvent._zod.def.options;
const [FeedSnapshot, FeedFailure, FeedErasure] = CandidateFeedEvent._zod.def.options;
const [Failing, Disabled] = EndpointEvent._zod.def.options;

/** An event about a candidate, and one about an endpoint, which has no `sequence`. */
type CandidateEventSchema = z.ZodMiniObject<Record<keyof typeof Snapshot.shape, z.ZodMiniType>>;
type EndpointEventSchema = z.ZodMiniObject<Record<keyof typeof Failing.shape, z.ZodMiniType>>;

const endpointEnvelope: TextsOf<EndpointEventSchema> = {
  id: {
    description: "The event's id, the same as `X-RR-Event-Id`. Deduplicate by it.",
    pattern: "^evt_",
    examples: ["evt_06dcb7s2m0yr4gv0w3q8n5tk00"],
  },
  type: "The type of the event.",
  apiVersion: {
    description: "The version of the contract to which the event conforms.",
    examples: [CONTRACT_VERSION],
  },
  occurredAt: moment("When it happened."),
  sample: "Present, and true, only in the sample sent by a test of the endpoint.",
  data: "The content of the event.",
};

const envelope: TextsOf<CandidateEventSchema> = {
  ...endpointEnvelope,
  sequence: {
    description:
      "Numbers the candidate's events of all types from 1 without gaps. Sort by it, and use it to detect missing events. " +
      "Events of types to which the endpoint is not subscribed have numbers too. If a candidate is created again within " +
      "100 days of its erasure, the count continues.",
    minimum: 1,
    maximum: Number.MAX_SAFE_INTEGER,
  },
};

const handles = {
  stagedId: { description: "The intake handle.", pattern: "^staged_" },
  id: { description: "The canonical id; null before promotion.", pattern: "^cand_" },
};

/** Members that a candidate's record and events have in common. */
export const standing = {
  externalId: "Your own id of the candidate.",
  status: "The candidate's status in its lifecycle.",
  verificationStatus: "`verified` after the identity is verified, `in_review` before.",
  availabilityStatus: "`available` after promotion, unless consent is withdrawn; otherwise `pending`.",
};

const snapshot: TextsOf<typeof Snapshot.shape.data> = {
  ...handles,
  ...standing,
};

const feedSnapshot: TextsOf<typeof FeedSnapshot.shape.data> = {
  ...snapshot,
  externalId: "Your own id of the candidate; null once the candidate is erased.",
};

/** The reasons for which the service sets an endpoint inactive. */
export const disabledReasons =
  "`failing`: for five days no attempt succeeded. `gone`: it returned `410 Gone`.";

/** Members that an endpoint and the events about it have in common. */
export const health = {
  failingSince: moment(
    "When the current series of failed attempts began. Absent while attempts succeed, and after a 410 without a " +
      "failure before it.",
  ),
  disabledAt: moment("When the service set the endpoint inactive."),
  disabledReason: `Why the service set the endpoint inactive. ${disabledReasons}`,
};

const webhookEndpointId = { description: "The endpoint that the event is about.", pattern: "^whe_" };

const candidateEventSchemas = new Map<EventType, CandidateEventSchema>(
  CANDIDATE_EVENT_TYPES.map((type) => [type, z.extend(optionOf(type), { type: z.literal(type) })]),
);
const endpointEventSchemas = new Map<EventType, EndpointEventSchema>([
  ["webhook_endpoint.failing", Failing],
  ["webhook_endpoint.disabled", Disabled],
]);

/** The body of an event of one type, so that each webhook has its own schema. */
export function eventSchemaOf(type: EventType): z.ZodMiniObject {
  const found = candidateEventSchemas.get(type) ?? endpointEventSchemas.get(type);
  if (!found) throw new Error(`${type} has no schema.`);
  return found;
}

/** The schemas of events and their content, by name. */
export const eventComponents: Readonly<Record<string, Described>> = {
  ...Object.fromEntries([
    ...[...candidateEventSchemas].map(([type, schema]) => component(type, schema, envelope)),
    ...[...endpointEventSchemas].map(([type, schema]) => component(type, schema, endpointEnvelope)),
  ]),
  CandidateSnapshot: described(Snapshot.shape.data, "A candidate after the event.", snapshot),
  RejectedCandidate: described(Failure.shape.data, "A candidate after its rejection in intake.", {
    ...snapshot,
    reasons:
      "The reasons for the rejection. Empty in an attempt that is made after ten later rejections of the candidate.",
  }),
  ErasedCandidate: described(Erasure.shape.data, "The remaining data of an erased candidate.", {
    ...handles,
    status: "Always `erased`.",
  }),
  CandidateFeedEvent: described(FeedSnapshot, "An event about a candidate, in the event feed.", envelope),
  CandidateFeedSnapshot: described(FeedSnapshot.shape.data, "A candidate after the event.", feedSnapshot),
  CandidateValidationFailedFeedEvent: described(
    FeedFailure,
    "A rejection in intake, in the event feed.",
    envelope,
  ),
  RejectedCandidateInFeed: described(FeedFailure.shape.data, "A candidate after its rejection in intake.", {
    ...feedSnapshot,
    reasons:
      "The reasons for the rejection; null once the candidate is erased. Empty after ten later rejections of the candidate.",
  }),
  CandidateErasedFeedEvent: described(FeedErasure, "An erasure, in the event feed.", envelope),
  ErasedCandidateInFeed: described(FeedErasure.shape.data, "The remaining data of an erased candidate.", {
    ...handles,
    status: "Always `erased`.",
  }),
  FailingWebhookEndpoint: described(Failing.shape.data, "An endpoint that keeps failing.", {
    webhookEndpointId,
    failingSince: health.failingSince,
  }),
  DisabledWebhookEndpoint: described(Disabled.shape.data, "An endpoint that the service set inactive.", {
    webhookEndpointId,
    ...health,
  }),
};

function component<Schema extends z.ZodMiniObject>(
  type: EventType,
  schema: Schema,
  members: TextsOf<Schema>,
): [name: string, Described] {
  const { name, meaning } = events[type];
  return [`${name}Event`, described(schema, meaning, members)];
}

function optionOf(type: EventType) {
  const found = CandidateEvent._zod.def.options.find(({ shape }) => shape.type.safeParse(type).success);
  if (!found) throw new Error(`CandidateEvent has no option for ${type}.`);
  return found;
}
