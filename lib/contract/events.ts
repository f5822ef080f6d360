import * as z from "zod/mini";
import { AvailabilityStatus, CandidateStatus, VerificationStatus } from "#contract/candidate-status";

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

/** The event types beyond the contract. An endpoint receives one only if its `eventTypes` contains it. */
export const EXTENSION_EVENT_TYPES = ["candidate.consent_restored"] as const;

/** Every event type that an endpoint may subscribe to. */
export const EVENT_TYPES = [...CONTRACT_EVENT_TYPES, ...EXTENSION_EVENT_TYPES] as const;
export const EventType = z.enum(EVENT_TYPES);
export type EventType = z.infer<typeof EventType>;

/** The reason for a rejection: a code for programs and a message for people, both without personal data. */
export const Reason = z.strictObject({
  code: z.string().check(z.regex(/^[a-z0-9_]{1,64}$/, "a code of 1 to 64 of a-z, 0-9 and _ is expected")),
  message: z
    .string()
    .check(
      z.minLength(1, { error: "a message of 1 to 500 characters is expected" }),
      z.maxLength(500, { error: "a message of 1 to 500 characters is expected" }),
    ),
});
export type Reason = z.infer<typeof Reason>;

const candidateHandles = {
  stagedId: z.string(),
  /** The canonical id; null before promotion. */
  id: z.nullable(z.string()),
};

const candidateSnapshot = {
  ...candidateHandles,
  externalId: z.string(),
  status: CandidateStatus,
  verificationStatus: VerificationStatus,
  availabilityStatus: AvailabilityStatus,
};

/** `evt_…`, also sent in the header `X-RR-Event-Id`. Receivers deduplicate by it. */
const id = z.string();

const envelope = {
  apiVersion: z.string(),
  occurredAt: z.string(),
  /** Numbers the candidate's events from 1 without gaps. Receivers order events by it. */
  sequence: z.int(),
  /** Present, and true, only in the sample sent by `POST /v1/webhook-endpoints/{id}/test`. */
  sample: z.optional(z.literal(true)),
};

/**
 * The body of a webhook delivery. Events are thin: handles, `externalId`, statuses, times and reasons, and nothing else
 * about the candidate. Subscribers fetch the candidate's record if they need more.
 */
export const WebhookEvent = z.discriminatedUnion("type", [
  z.object({
    id,
    type: z.enum([
      "candidate.received",
      "candidate.verified",
      "candidate.promoted",
      "candidate.consent_revoked",
      "candidate.consent_restored",
    ]),
    ...envelope,
    data: z.object(candidateSnapshot),
  }),
  z.object({
    id,
    type: z.literal("candidate.validation_failed"),
    ...envelope,
    data: z.object({ ...candidateSnapshot, reasons: z.array(Reason) }),
  }),
  z.object({
    id,
    type: z.literal("candidate.erased"),
    ...envelope,
    data: z.object({ ...candidateHandles, status: z.literal("erased") }),
  }),
]);
export type WebhookEvent = z.infer<typeof WebhookEvent>;
