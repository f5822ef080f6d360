import * as z from "zod/mini";
import { EventType, type WebhookEvent } from "#contract/events";

/** One event on its way to one endpoint: a message of the delivery queue. */
export const Delivery = z.object({
  orgId: z.string(),
  endpointId: z.string(),
  eventId: z.string(),
  eventType: EventType,
  /** The very text that every attempt posts and signs. */
  body: z.string().check(z.refine(isEvent)),
  /** The attempt that comes next, from 1. */
  attempt: z.int().check(z.gte(1)),
  /** When it may be made: SQS delays 15 minutes at most, so a longer wait takes several messages. */
  dueAt: z.iso.datetime(),
  /** Tried once, whatever comes of it, and also at an inactive endpoint. */
  sample: z.optional(z.literal(true)),
  /** When a person began it once more: attempts before that are another run's, and delays say nothing of the service. */
  resentAt: z.optional(z.iso.datetime()),
});
export type Delivery = z.infer<typeof Delivery>;

/** The delivery that a message of the queue holds, or undefined when it cannot be read. */
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

/** The event that a delivery carries. */
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
