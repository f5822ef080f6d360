import { OutboxRecord } from "#candidates/outbox/outbox";
import type { DeadLetterList } from "#webhooks/dead-letters/dead-letter-commands";
import { readDelivery } from "#webhooks/delivery/delivery";
import { readFiredEvent } from "#webhooks/delivery/fired-event";

type Summary = DeadLetterList["data"][number];

const UNKNOWN = { eventId: null, eventType: null, endpointId: null, orgId: null } as const;

/** A summary of a delivery that exhausted its retries. */
export function describeDeadDelivery(body: string): Summary {
  const delivery = readDelivery(body);
  if (!delivery) return { queue: "deliveries", ...UNKNOWN };
  const { eventId, eventType, endpointId, orgId } = delivery;
  return { queue: "deliveries", eventId, eventType, endpointId, orgId };
}

/** A summary of an event, or a batch of the stream, that was not published. */
export function describeUnpublished(body: string): Summary {
  const readable = readOutboxLetter(body);
  if (!readable) return { queue: "events", ...UNKNOWN };
  const { orgId, event } = readable;
  return { queue: "events", eventId: event.id, eventType: event.type, endpointId: null, orgId };
}

/** A summary of a failed batch of sweeps. It contains no details: the letter holds only a position in the stream. */
export function describeUnswept(): Summary {
  return { queue: "sweeps", ...UNKNOWN };
}

function readOutboxLetter(body: string) {
  try {
    return readFiredEvent(OutboxRecord.parse(JSON.parse(body)));
  } catch {
    return undefined;
  }
}
