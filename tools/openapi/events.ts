import * as z from "zod/mini";
import { CONTRACT_VERSION, EVENT_TYPES, type EventType, WebhookEvent } from "#contract/events";
import { type Described, described, moment, type TextsOf } from "./described.ts";

/** What each type of event says, and the name of its schema. */
export const events: Readonly<Record<EventType, { readonly name: string; readonly meaning: string }>> = {
  "candidate.received": {
    name: "CandidateReceived",
    meaning: "A candidate was accepted into intake. An idempotent retry of the create fires no second one.",
  },
  "candidate.verified": { name: "CandidateVerified", meaning: "The candidate's identity was verified." },
  "candidate.promoted": {
    name: "CandidatePromoted",
    meaning: "The candidate met the exit criteria and is searchable. `data.id` is valid from now on.",
  },
  "candidate.validation_failed": {
    name: "CandidateValidationFailed",
    meaning: "Intake rejected the candidate for `data.reasons`. It fires again when other reasons follow.",
  },
  "candidate.consent_revoked": {
    name: "CandidateConsentRevoked",
    meaning: "Consent was withdrawn and access is frozen: reads return 404 `consent_revoked`.",
  },
  "candidate.consent_restored": {
    name: "CandidateConsentRestored",
    meaning:
      "Consent was given again and access is restored. `data` shows the statuses from before the withdrawal, " +
      "which apply again.",
  },
  "candidate.erased": {
    name: "CandidateErased",
    meaning: "The candidate's data was erased. The event carries the handles alone.",
  },
};

const [Snapshot, Failure, Erasure] = WebhookEvent._zod.def.options;

/** An event of one type. */
type EventSchema = z.ZodMiniObject<Record<keyof typeof Snapshot.shape, z.ZodMiniType>>;

const envelope: TextsOf<EventSchema> = {
  id: {
    description: "The event's id, the same as `X-RR-Event-Id`. Deduplicate on it.",
    pattern: "^evt_",
    examples: ["evt_06dcb7s2m0yr4gv0w3q8n5tk00"],
  },
  type: "What happened.",
  apiVersion: {
    description: "The version of the contract that the event was written by.",
    examples: [CONTRACT_VERSION],
  },
  occurredAt: moment("When it happened."),
  sequence: {
    description:
      "Counts the candidate's events of every type from 1 without gaps: sort by it, and see from it what is missing. " +
      "An event of a type that the endpoint is not subscribed to takes a number too. A candidate that is created " +
      "again within 100 days of its erasure goes on counting.",
    minimum: 1,
    maximum: Number.MAX_SAFE_INTEGER,
  },
  sample: "Present, and true, only on the sample that a test of the endpoint sends.",
  data: "What the event is about.",
};

const handles = {
  stagedId: { description: "The intake handle.", pattern: "^staged_" },
  id: { description: "The canonical id; null before promotion.", pattern: "^cand_" },
};

/** Members that a candidate's record and its events share. */
export const standing = {
  externalId: "Your own id of the candidate.",
  status: "Where the candidate stands in its lifecycle.",
  verificationStatus: "`verified` once the identity is verified, `in_review` before.",
  availabilityStatus: "`available` from promotion on, `pending` before.",
};

const snapshot: TextsOf<typeof Snapshot.shape.data> = {
  ...handles,
  ...standing,
};

const eventSchemas = new Map<EventType, EventSchema>(
  EVENT_TYPES.map((type) => [type, z.extend(optionOf(type), { type: z.literal(type) })]),
);

/** The body of an event of one type, so that each webhook shows its own. */
export function eventSchemaOf(type: EventType): EventSchema {
  return eventSchemas.get(type) as EventSchema;
}

/** The schemas of events, and of what they are about, by name. */
export const eventComponents: Readonly<Record<string, Described>> = {
  ...Object.fromEntries(
    EVENT_TYPES.map((type) => {
      const { name, meaning } = events[type];
      return [`${name}Event`, described(eventSchemaOf(type), meaning, envelope)];
    }),
  ),
  CandidateSnapshot: described(Snapshot.shape.data, "A candidate as it was after the event.", snapshot),
  RejectedCandidate: described(Failure.shape.data, "A candidate as it was after intake rejected it.", {
    ...snapshot,
    reasons: "Why it was rejected.",
  }),
  ErasedCandidate: described(Erasure.shape.data, "What is left of an erased candidate.", {
    ...handles,
    status: "Always `erased`.",
  }),
};

function optionOf(type: EventType) {
  const found = WebhookEvent._zod.def.options.find(({ shape }) => shape.type.safeParse(type).success);
  if (!found) throw new Error(`WebhookEvent has no option for ${type}.`);
  return found;
}
