import * as z from "zod/mini";
import { AbridgedEvent } from "#candidates/outbox/abridged-event";
import { EventType, type WebhookEvent } from "#contract/events";
import { MINUTE } from "#runtime/durations";

/** The delivery of one event to one endpoint: a message of the delivery queue, the side queue or the retry queue. */
export const Delivery = z.object({
  orgId: z.string(),
  endpointId: z.string(),
  eventId: z.string(),
  eventType: EventType,
  /** The text that an attempt posts and signs. Absent from a message that waits, which has `event` instead. */
  body: z.optional(z.string().check(z.refine(isEvent))),
  /** Completed from the candidate's record before an attempt, to the same text. */
  event: z.optional(AbridgedEvent),
  /** The number of the next attempt, from 1. */
  attempt: z.int().check(z.gte(1)),
  /** When the attempt is due. */
  dueAt: z.iso.datetime(),
  /** A sample is attempted only once, and also at an inactive endpoint. */
  sample: z.optional(z.literal(true)),
  /** Present if it was resent. Attempts before this time belong to another run, and delay metrics do not apply. */
  resentAt: z.optional(z.iso.datetime()),
});
export type Delivery = z.infer<typeof Delivery>;

/** The delivery in a message of the queue, or undefined if it cannot be read. */
export function readDelivery(messageBody: string): Delivery | undefined {
  try {
    const delivery = Delivery.parse(JSON.parse(messageBody));
    return delivery.body === undefined && delivery.event === undefined ? undefined : delivery;
  } catch {
    return undefined;
  }
}

/** What log lines about a delivery have, to find it. */
export function idsOf({ orgId, endpointId, eventId, eventType, attempt }: Delivery) {
  return { orgId, endpointId, eventId, eventType, attempt };
}

function isEvent(body: string): boolean {
  try {
    return AbridgedEvent.safeParse(JSON.parse(body)).success;
  } catch {
    return false;
  }
}

/** The event in a delivery, without what only its body has. */
export function eventOf({ body, event }: Delivery): AbridgedEvent {
  return event ?? AbridgedEvent.parse(JSON.parse(body ?? ""));
}

/** How soon after its event a first attempt may post the body that it carries, in ms. */
const PROMPT_MS = MINUTE;

/** Whether this is the first attempt soon after the event, which posts the body that it carries. */
export function isPrompt(delivery: Delivery, now: Date): boolean {
  const { attempt, resentAt } = delivery;
  const occurredAt = Date.parse(eventOf(delivery).occurredAt);
  return attempt === 1 && resentAt === undefined && now.getTime() - occurredAt <= PROMPT_MS;
}

/**
 * A delivery in the form in which it waits, is dead-lettered or is resent. The body of a sample or of an erasure holds
 * nothing personal, and stays.
 */
export function withoutBody(delivery: Delivery): Delivery {
  if (delivery.sample || delivery.eventType === "candidate.erased") return delivery;
  const { body: _, ...rest } = delivery;
  return { ...rest, event: eventOf(delivery) };
}

/** A delivery in the form in which it is dead-lettered. */
export function deadLetterOf(delivery: Delivery, now: Date): Delivery {
  return { ...withoutBody(delivery), dueAt: now.toISOString() };
}

/** The first delivery of an event to an endpoint. */
export function deliveryOf(
  event: WebhookEvent,
  orgId: string,
  endpointId: string,
  now: Date,
): Delivery & { readonly body: string } {
  return {
    orgId,
    endpointId,
    eventId: event.id,
    eventType: event.type,
    body: JSON.stringify(event),
    attempt: 1,
    dueAt: now.toISOString(),
    ...(event.sample && { sample: event.sample }),
  };
}

interface Resend {
  readonly orgId: string;
  readonly endpointId: string;
  /** Attempts before this time belong to another run. */
  readonly resentAt: Date;
  readonly dueAt: Date;
}

/** A delivery that starts again from its first attempt, whatever became of earlier ones. */
export function resentDelivery(
  event: AbridgedEvent,
  { orgId, endpointId, resentAt, dueAt }: Resend,
): Delivery & { readonly event: AbridgedEvent } {
  return {
    orgId,
    endpointId,
    eventId: event.id,
    eventType: event.type,
    event,
    attempt: 1,
    dueAt: dueAt.toISOString(),
    resentAt: resentAt.toISOString(),
  };
}
