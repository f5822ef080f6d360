import { type OutboxRecord, readOutbox } from "#candidates/outbox/outbox";
import type { EventType } from "#contract/events";
import { logger } from "#runtime/logger";
import { type Delivery, deliveryOf } from "#webhooks/delivery/delivery";
import type { DeliveryQueue } from "#webhooks/delivery/delivery-queue";
import type { UnreadableEvents } from "#webhooks/delivery/unreadable-events";
import type {
  DeliveryEndpoint,
  WebhookEndpointRepository,
} from "#webhooks/endpoints/webhook-endpoint-repository";

/** An event on its way to those that are subscribed to it. */
interface AddressedEvent {
  readonly orgId: string;
  readonly eventId: string;
  readonly eventType: EventType;
  /** Whose event it is, as the logs of requests name it. */
  readonly stagedId: string;
  /** How many endpoints it goes to. */
  readonly endpoints: number;
}

export interface PublishService {
  readonly endpoints: Pick<WebhookEndpointRepository, "list">;
  readonly queue: Pick<DeliveryQueue, "sendAll">;
  readonly unreadable: Pick<UnreadableEvents, "park">;
  readonly now: () => Date;
  /** When a person had the events published once more; absent when the stream brings them. */
  readonly resentAt?: string;
  /** Told of each event that is about to be sent. */
  readonly onAddressed?: (event: AddressedEvent) => void;
}

type Addressed = Delivery & { readonly position: number };

/**
 * Sends each event to the delivery queue once for every active endpoint of the organisation that is
 * subscribed to its type. An event that cannot be read, or that SQS finds fault with, is parked, so that it
 * stops no other.
 *
 * @returns the sequence number of the first record that is not wholly published, if any: it and all after
 *   it are to be repeated, and receivers get what they have had already with the same event id
 */
export async function publish(
  records: readonly OutboxRecord[],
  { endpoints, queue, unreadable, now, resentAt, onAddressed = () => {} }: PublishService,
): Promise<string | undefined> {
  const subscriptions = new Map<string, Promise<readonly DeliveryEndpoint[]>>();
  const endpointsOf = (orgId: string) => {
    const known = subscriptions.get(orgId) ?? endpoints.list(orgId);
    subscriptions.set(orgId, known);
    return known;
  };
  const failed = new Set<number>();
  const unpublishable = new Set<number>();
  const addressed = await Promise.all(
    records.map(async (record, position): Promise<Addressed[]> => {
      try {
        const readable = readOutbox(record);
        if (!readable) {
          unpublishable.add(position);
          return [];
        }
        const { orgId, event } = readable;
        const subscribed = (await endpointsOf(orgId)).filter(
          ({ active, eventTypes }) => active && eventTypes.includes(event.type),
        );
        onAddressed({
          orgId,
          eventId: event.id,
          eventType: event.type,
          stagedId: event.data.stagedId,
          endpoints: subscribed.length,
        });
        return subscribed.map(({ id }) => ({
          ...deliveryOf(event, orgId, id, now()),
          ...(resentAt && { resentAt }),
          position,
        }));
      } catch (error) {
        logger.error("publish failed", { sequenceNumber: record.sequenceNumber, cause: error });
        failed.add(position);
        return [];
      }
    }),
  );
  for (const { delivery, senderFault } of await queue.sendAll(addressed.flat())) {
    (senderFault ? unpublishable : failed).add(delivery.position);
  }
  // What comes after a failed record is repeated with it, and parked then.
  const published = Math.min(...failed, records.length);
  const parked = [...unpublishable]
    .filter((position) => position < published)
    .sort((left, right) => left - right);
  for (const position of parked) {
    const record = records[position];
    try {
      if (record) await unreadable.park(record);
    } catch (error) {
      logger.error("event not parked", { sequenceNumber: record?.sequenceNumber, cause: error });
      return record?.sequenceNumber;
    }
  }
  return records[published]?.sequenceNumber;
}
