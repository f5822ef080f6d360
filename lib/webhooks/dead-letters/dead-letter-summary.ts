import { type OutboxRecord, readOutbox } from "#candidates/outbox/outbox";
import { readDelivery } from "#webhooks/delivery/delivery";
import type { DeadLetterList } from "#webhooks/delivery/delivery-commands";

type Summary = DeadLetterList["data"][number];

const UNTOLD = { eventId: null, eventType: null, endpointId: null, orgId: null } as const;

/** What can be told of a delivery that no attempt brought home. */
export function describeDeadDelivery(body: string): Summary {
  const delivery = readDelivery(body);
  if (!delivery) return { queue: "deliveries", ...UNTOLD };
  const { eventId, eventType, endpointId, orgId } = delivery;
  return { queue: "deliveries", eventId, eventType, endpointId, orgId };
}

/** What can be told of an event, or a batch of the stream, that was not published. */
export function describeUnpublished(body: string): Summary {
  const readable = readOutboxLetter(body);
  if (!readable) return { queue: "events", ...UNTOLD };
  const { orgId, event } = readable;
  return { queue: "events", eventId: event.id, eventType: event.type, endpointId: null, orgId };
}

/** A batch of sweeps that failed shows no more than that it waits: it names a place in the stream. */
export function describeUnswept(): Summary {
  return { queue: "sweeps", ...UNTOLD };
}

function readOutboxLetter(body: string) {
  try {
    return readOutbox(JSON.parse(body) as OutboxRecord);
  } catch {
    return undefined;
  }
}
