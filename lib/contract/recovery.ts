import * as z from "zod/mini";
import { EventType } from "#contract/events";
import { moment, object } from "#contract/values";
import { WebhookEndpointRegistration } from "#contract/webhook-endpoint";

/** The body of `POST /v1/webhook-endpoints/{id}/recoveries` (an extension). */
export const RecoveryRequest = object({
  since: moment(),
  /** The moment of the call if absent, or if it is later. */
  until: z.optional(moment()),
  /** By default the types that the endpoint is subscribed to. */
  eventTypes: z.optional(WebhookEndpointRegistration.shape.eventTypes),
});
export type RecoveryRequest = z.infer<typeof RecoveryRequest>;

/** A recovery of the events that an endpoint missed (an extension). */
export const Recovery = z.object({
  /** `rec_…` */
  id: z.string(),
  status: z.enum(["running", "completed", "failed"]),
  /** The events so far that the endpoint has not acknowledged. */
  found: z.int(),
  /** Those of them that were queued for delivery. */
  sent: z.int(),
  since: z.string(),
  until: z.string(),
  eventTypes: z.array(EventType),
  startedAt: z.string(),
  /** Absent while it is running. */
  endedAt: z.optional(z.string()),
  /** Why it failed, in plain words; absent otherwise. */
  reason: z.optional(z.string()),
});
export type Recovery = z.infer<typeof Recovery>;
