import type { OutboxRecord } from "#candidates/outbox/outbox";
import { type EventType, isEndpointEvent, type WebhookEvent } from "#contract/events";
import { inParallel } from "#runtime/in-parallel";
import { logger } from "#runtime/logger";
import { type Delivery, deliveryOf, isPrompt, withoutBody } from "#webhooks/delivery/delivery";
import type { DeliveryQueue, Refusal } from "#webhooks/delivery/delivery-queue";
import { type FiredEvent, readFiredEvent } from "#webhooks/delivery/fired-event";
import type { UnreadableEvents } from "#webhooks/delivery/unreadable-events";
import type { DeliveryEndpoint } from "#webhooks/endpoints/delivery-endpoint";
import { LANES, type Lane, laneOf } from "#webhooks/endpoints/lane";
import type { WebhookEndpointRepository } from "#webhooks/endpoints/webhook-endpoint-repository";
import type { EventFeed } from "#webhooks/feed/event-feed";
import type { RecentIds } from "#webhooks/feed/recent-ids";

/**
 * The number of organisations whose work starts at once. A batch of a hundred events then starts with at most
 * 17 items and ten queries, so that a process that has just started can connect in about the time within which an
 * item must be acknowledged.
 */
const BEGUN_AT_ONCE = 10;

/**
 * How long a slow organisation delays others, in ms: before the next one is started, and before deliveries that are
 * ready are sent. Connecting and signing for ten organisations takes more than half of this time, with the share of a
 * processor that a function with 512 MB gets.
 */
const PATIENCE_MS = 250;

/** An event that is about to be sent to its subscribed endpoints. */
interface AddressedEvent {
  readonly orgId: string;
  readonly eventId: string;
  readonly eventType: EventType;
  /** The candidate's, as in the request logs; absent if the event is about an endpoint. */
  readonly stagedId?: string;
  /** The endpoint that the event is about; absent if it is about a candidate. */
  readonly webhookEndpointId?: string;
  /** The number of subscribed endpoints. */
  readonly endpoints: number;
}

export interface PublishService {
  readonly feed: Pick<EventFeed, "append" | "settled">;
  readonly endpoints: Pick<WebhookEndpointRepository, "list">;
  readonly queues: Readonly<Record<Lane, Pick<DeliveryQueue, "sendAll">>>;
  readonly unreadable: Pick<UnreadableEvents, "park">;
  readonly now: () => Date;
  readonly wait: (ms: number) => Promise<unknown>;
  /** The events that this process has already published, which are left out. */
  readonly published: Pick<RecentIds, "has" | "add">;
  /** When an operator had the events published again; absent if they come from the stream. */
  readonly resentAt?: string;
  /** Called with each event that is about to be sent. */
  readonly onAddressed?: (event: AddressedEvent) => void;
}

/** An event, and the position of its record in the batch. */
interface Fired extends FiredEvent {
  readonly position: number;
  readonly sequenceNumber: string;
}

/** A delivery, its queue, and the position of its event's record in the batch. */
interface Addressed {
  readonly delivery: Delivery;
  readonly lane: Lane;
  readonly position: number;
}

/** The positions of the records that were not published. */
interface Unpublished {
  /** A retry can publish them. */
  readonly failed: Set<number>;
  /** No retry can publish them: they are unreadable or invalid for SQS. */
  readonly unpublishable: Set<number>;
}

/** The work on a batch's events before they are sent. */
interface Preparation {
  /** The deliveries of events that are in the feed, until they are sent. */
  readonly ready: Addressed[];
  readonly ended: Promise<unknown>;
}

function readableEvent(record: OutboxRecord): FiredEvent | undefined {
  try {
    return readFiredEvent(record);
  } catch (error) {
    logger.error("unreadable event", { sequenceNumber: record.sequenceNumber, cause: error });
    return undefined;
  }
}

/**
 * Appends each event to the organisation's feed, and then queues it once for every active endpoint that is subscribed
 * to its type, except for the endpoint that it is about. It uses the queue of the endpoint's lane. An event that is
 * unreadable or invalid for SQS is parked, so that it does not block others. An organisation whose feed or endpoints
 * fail or are slow does not block others either.
 *
 * @returns the sequence number of the first record that is not fully published, if any. This record and all later
 *   ones are retried. The retry leaves out events that are already published, unless another process does it:
 *   receivers may then receive events again, with the same event id
 */
export async function publish(
  records: readonly OutboxRecord[],
  service: PublishService,
): Promise<string | undefined> {
  const unpublished: Unpublished = { failed: new Set(), unpublishable: new Set() };
  const { failed, unpublishable } = unpublished;
  const fired = records.flatMap((record, position): Fired[] => {
    const readable = readableEvent(record);
    if (!readable) unpublishable.add(position);
    if (!readable || service.published.has(readable.event.id)) return [];
    return [{ ...readable, position, sequenceNumber: record.sequenceNumber }];
  });
  const refused = await sendAsReady(prepareAll(fired, service, unpublished), service);
  for (const { position, senderFault } of refused) {
    (senderFault ? unpublishable : failed).add(position);
  }
  // Unpublishable records after a failed one are retried with it, and parked then.
  const published = Math.min(...failed, records.length);
  const parked = [...unpublishable]
    .filter((position) => position < published)
    .sort((left, right) => left - right);
  const unparked = await firstNotParked(
    parked.flatMap((position) => records[position] ?? []),
    service,
  );
  for (const { position, event } of fired) {
    if (!failed.has(position) && !unpublishable.has(position)) service.published.add(event.id);
  }
  await service.feed.settled();
  return (unparked ?? records[published])?.sequenceNumber;
}

/** Sends each delivery to its queue, and returns those that were refused. */
async function sendAll(
  addressed: readonly Addressed[],
  { queues }: PublishService,
): Promise<(Refusal & Pick<Addressed, "position">)[]> {
  const positions = new Map(addressed.map(({ delivery, position }) => [delivery, position]));
  const refused = await Promise.all(
    LANES.map((lane) =>
      queues[lane].sendAll(addressed.filter((each) => each.lane === lane).map(({ delivery }) => delivery)),
    ),
  );
  return refused.flat().map((refusal) => ({ ...refusal, position: positions.get(refusal.delivery) ?? 0 }));
}

/** Appends events to the feed. Returns whether it succeeded; if not, none of them may be sent. */
async function appendToFeed(
  orgId: string,
  fired: readonly Fired[],
  { feed }: PublishService,
  { failed }: Unpublished,
): Promise<boolean> {
  try {
    const events = fired.map(({ event }) => event);
    await feed.append(orgId, events);
    return true;
  } catch (error) {
    logger.error("events not appended to the feed", {
      orgId,
      sequenceNumbers: fired.map(({ sequenceNumber }) => sequenceNumber),
      cause: error,
    });
    for (const { position } of fired) failed.add(position);
    return false;
  }
}

/** Begins the work for each organisation of a batch, one after the other, without waiting for slow ones. */
function prepareAll(fired: readonly Fired[], service: PublishService, unpublished: Unpublished): Preparation {
  const ready: Addressed[] = [];
  const preparations: Promise<void>[] = [];
  const byOrganisation = Map.groupBy(fired, ({ orgId }) => orgId);
  const allBegun = inParallel([...byOrganisation], BEGUN_AT_ONCE, async ([orgId, ofOrganisation]) => {
    const preparation = prepare(orgId, ofOrganisation, service, unpublished).then((addressed) => {
      ready.push(...addressed);
    });
    preparations.push(preparation);
    await Promise.race([preparation, service.wait(PATIENCE_MS)]);
  });
  return { ready, ended: allBegun.then(() => Promise.all(preparations)) };
}

/** Appends an organisation's events to its feed, and returns the deliveries that may then be sent. */
async function prepare(
  orgId: string,
  fired: readonly Fired[],
  service: PublishService,
  unpublished: Unpublished,
): Promise<Addressed[]> {
  const [isInFeed, addressed] = await Promise.all([
    appendToFeed(orgId, fired, service, unpublished),
    addressAll(orgId, fired, service, unpublished),
  ]);
  return isInFeed ? addressed : [];
}

/** Sends the deliveries of a batch as they become ready, and returns those that were refused. */
async function sendAsReady({ ready, ended }: Preparation, service: PublishService) {
  const sent: ReturnType<typeof sendAll>[] = [];
  for (let isOver = false; !isOver; ) {
    isOver = await Promise.race([ended.then(() => true), service.wait(PATIENCE_MS).then(() => false)]);
    sent.push(sendAll(ready.splice(0), service));
  }
  return (await Promise.all(sent)).flat();
}

/** The deliveries of an organisation's events, one per event and subscribed endpoint. */
async function addressAll(
  orgId: string,
  fired: readonly Fired[],
  service: PublishService,
  { failed }: Unpublished,
): Promise<Addressed[]> {
  const listed = service.endpoints.list(orgId);
  const addressed = await Promise.all(
    fired.map(async (event) => {
      try {
        return address(event, await listed, service);
      } catch (error) {
        logger.error("publish failed", { sequenceNumber: event.sequenceNumber, cause: error });
        failed.add(event.position);
        return [];
      }
    }),
  );
  return addressed.flat();
}

/** The deliveries of one event. */
function address(
  { orgId, event, position }: Fired,
  endpoints: readonly DeliveryEndpoint[],
  { now, resentAt, onAddressed = () => {} }: PublishService,
): Addressed[] {
  const subject = subjectOf(event);
  const subscribed = endpoints.filter(
    ({ id, active, eventTypes }) =>
      active && eventTypes.includes(event.type) && id !== subject.webhookEndpointId,
  );
  onAddressed({
    orgId,
    eventId: event.id,
    eventType: event.type,
    ...subject,
    endpoints: subscribed.length,
  });
  return subscribed.map((endpoint) => {
    const delivery = { ...deliveryOf(event, orgId, endpoint.id, now()), ...(resentAt && { resentAt }) };
    const lane = laneOf(endpoint);
    const keepsBody = lane !== "retry" && isPrompt(delivery, now());
    return { delivery: keepsBody ? delivery : withoutBody(delivery), lane, position };
  });
}

/** What an event is about. */
function subjectOf(event: WebhookEvent): Pick<AddressedEvent, "stagedId" | "webhookEndpointId"> {
  return isEndpointEvent(event)
    ? { webhookEndpointId: event.data.webhookEndpointId }
    : { stagedId: event.data.stagedId };
}

/** Parks records in order, and returns the first that could not be parked, if any. */
async function firstNotParked(
  records: readonly OutboxRecord[],
  { unreadable }: PublishService,
): Promise<OutboxRecord | undefined> {
  for (const record of records) {
    try {
      await unreadable.park(record);
    } catch (error) {
      logger.error("event not parked", { sequenceNumber: record.sequenceNumber, cause: error });
      return record;
    }
  }
  return undefined;
}
