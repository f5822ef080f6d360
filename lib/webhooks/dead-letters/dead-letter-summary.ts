import { OutboxRecord } from "#candidates/outbox/outbox";
import type { DeadLetterList, DeadLetterQueue } from "#webhooks/dead-letters/dead-letter-commands";
import { readDelivery } from "#webhooks/delivery/delivery";
import { readFiredEvent } from "#webhooks/delivery/fired-event";

type Summary = DeadLetterList["data"][number];
type Ids = Partial<Omit<Summary, "queue">>;

const UNKNOWN = { eventId: null, eventType: null, endpointId: null, orgId: null } as const;

/** How to find the ids in a dead letter of each queue. A failed sweep has none: it is a position in the stream. */
const IDS_IN: Readonly<Record<DeadLetterQueue, (body: string) => Ids>> = {
  deliveries: idsInDelivery,
  events: idsInEvent,
  sweeps: () => ({}),
};

/** A summary of a dead letter: its queue, and the ids that can be read in it. */
export function summaryOf(queue: DeadLetterQueue, body: string): Summary {
  return { queue, ...UNKNOWN, ...IDS_IN[queue](body) };
}

function idsInDelivery(body: string): Ids {
  const delivery = readDelivery(body);
  if (!delivery) return {};
  const { eventId, eventType, endpointId, orgId } = delivery;
  return { eventId, eventType, endpointId, orgId };
}

/** A failed batch of the stream has no ids either. */
function idsInEvent(body: string): Ids {
  try {
    const { orgId, event } = readFiredEvent(OutboxRecord.parse(JSON.parse(body)));
    return { eventId: event.id, eventType: event.type, orgId };
  } catch {
    return {};
  }
}
