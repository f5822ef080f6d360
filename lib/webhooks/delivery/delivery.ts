import * as z from "zod/mini";
import { EventType, type WebhookEvent } from "#contract/events";

/** The delivery of one event to one endpoint: a message of the delivery queue. */
export const Delivery = z.object({
  orgId: z.string(),
  endpointId: z.string(),
  eventId: z.string(),
  eventType: EventType,
  /** The text that every attempt posts and signs, unchanged. */
  body: z.string().check(z.refine(isEvent)),
  /** The number of the next attempt, from 1. */
  attempt: z.int().check(z.gte(1)),
  /** When the attempt is due. SQS delays for at most 15 minutes, so a longer wait takes several messages. */
  dueAt: z.iso.datetime(),
  /** A sample is attempted only once, and also at an inactive endpoint. */
  sample: z.optional(z.literal(true)),
  /** When an operator resent it. Earlier attempts belong to another run, and delay metrics do not apply. */
  resentAt: z.optional(z.iso.datetime()),
});
export type Delivery = z.infer<typeof Delivery>;

/** The delivery in a message of the queue, or undefined if it cannot be read. */
export function readDelivery(messageBody: string): Delivery | undefined {
  try {
    return Delivery.parse(JSON.parse(messageBody));
  } catch {
    return undefined;
  }
}

const Event = z.object({
  occurredAt: z.iso.datetime(),
  sequence: z.int(),
  data: z.object({ stagedId: z.string() }),
});

function isEvent(body: string): boolean {
  try {
    return Event.safeParse(JSON.parse(body)).success;
  } catch {
    return false;
  }
}

/** The event in a delivery. */
export function eventOf({ body }: Delivery): WebhookEvent {
  return JSON.parse(body);
}

/** The first delivery of an event to an endpoint. */
export function deliveryOf(event: WebhookEvent, orgId: string, endpointId: string, now: Date): Delivery {
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
