import { CONTRACT_VERSION, EndpointEvent, type EndpointEventType } from "#contract/events";
import { newEventId } from "#contract/identifiers";
import { DAY } from "#runtime/durations";
import type { Runtime } from "#runtime/runtime";

type Sources = Pick<Runtime, "now" | "randomBytes">;

/** The event in the outbox of an endpoint's item: the attribute `event`, as in a candidate's item. */
export interface EndpointOutboxEvent {
  readonly id: string;
  readonly type: EndpointEventType;
  readonly occurredAt: string;
}

/** The attributes that make up an event. No other may leave the table this way: neither the URL nor the secrets. */
export const ENDPOINT_OUTBOX_ATTRIBUTES = [
  "pk",
  "id",
  "event",
  "failingSince",
  "disabledAt",
  "disabledReason",
] as const;

/** A new event for the outbox. */
export function newEndpointOutboxEvent(type: EndpointEventType, sources: Sources): EndpointOutboxEvent {
  return { id: newEventId(sources), type, occurredAt: sources.now().toISOString() };
}

/**
 * The event in the outbox of an endpoint's item, in the form that subscribers receive.
 *
 * @throws Error if the item has no readable event
 */
export function toEndpointEvent(item: Readonly<Record<string, unknown>>): EndpointEvent {
  const { id: webhookEndpointId, event, failingSince, disabledAt, disabledReason } = item;
  const { id, type, occurredAt } = (event ?? {}) as Partial<EndpointOutboxEvent>;
  return EndpointEvent.parse({
    id,
    type,
    apiVersion: CONTRACT_VERSION,
    occurredAt,
    data: { webhookEndpointId, failingSince, disabledAt, disabledReason },
  });
}

/** A sample event about an invented endpoint that has failed since long enough, marked as a sample. */
export function sampleEndpointEvent(type: EndpointEventType, sources: Sources): EndpointEvent {
  const now = sources.now();
  const failingFor = type === "webhook_endpoint.failing" ? DAY : 5 * DAY;
  return EndpointEvent.parse({
    id: newEventId(sources),
    type,
    apiVersion: CONTRACT_VERSION,
    occurredAt: now.toISOString(),
    sample: true,
    data: {
      webhookEndpointId: `whe_${"0".repeat(26)}`,
      failingSince: new Date(now.getTime() - failingFor).toISOString(),
      disabledAt: now.toISOString(),
      disabledReason: "failing",
    },
  });
}
