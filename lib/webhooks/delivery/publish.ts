import type { OutboxRecord } from "#candidates/outbox/outbox";
import { type EventType, isEndpointEvent, type WebhookEvent } from "#contract/events";
import { inParallel } from "#runtime/in-parallel";
import { logger } from "#runtime/logger";
import { type Delivery, deliveryOf, isPrompt, withoutBody } from "#webhooks/delivery/delivery";
import type { DeliveryQueue, Refusal } from "#webhooks/delivery/delivery-queue";
import { type FiredEvent, readFiredEvent } from "#webhooks/delivery/fired-event";
import type { UnreadableEvents } from "#webhooks/delivery/unreadable-events";
import type { DeliveryEndpoint } from "#webhooks/endpoints/delivery-endpoint";
import { isTroubled, LANES, type Lane, laneOf } from "#webhooks/endpoints/lane";
import type { WebhookEndpointRepository } from "#webhooks/endpoints/webhook-endpoint-repository";
import { ACKNOWLEDGED_WITHIN_MS, type EventFeed } from "#webhooks/feed/event-feed";
import type { RecentIds } from "#webhooks/feed/recent-ids";

/**
 * How many organisations' feeds are appended to at once. A batch of a hundred events then puts at most 17 items at once,
 * which a process that has just started connects within the time that an item has to be acknowledged.
 */
const FEEDS_AT_ONCE = 10;

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
  /** The events that this process has published, which are left out; absent if all are to be published. */
  readonly published?: Pick<RecentIds, "has" | "add">;
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

/** The appends of a batch's events to the feeds of their organisations. */
interface Appending {
  /** The positions of the records whose events are in the feed so far. */
  readonly inFeed: ReadonlySet<number>;
  readonly ended: Promise<unknown>;
}

/**
 * Appends each event to the organisation's feed, and then queues it once for every active endpoint that is
 * subscribed to its type, except for the endpoint that it is about: in the delivery queue, or in the retry queue if the
 * endpoint is new, slow or failing. An event that is unreadable or invalid for SQS is parked, so that it does not block
 * others. Nor does an organisation whose feed fails or is slow.
 *
 * @returns the sequence number of the first record that is not fully published, if any. It and all later records
 *   are retried. Those of them that are published are left out then, unless another process repeats the batch:
 *   receivers may then receive events again, with the same event id
 */
export async function publish(
  records: readonly OutboxRecord[],
  service: PublishService,
): Promise<string | undefined> {
  const unpublished: Unpublished = { failed: new Set(), unpublishable: new Set() };
  const { failed, unpublishable } = unpublished;
  const fired = records.flatMap((record, position): Fired[] => {
    const readable = readFiredEvent(record);
    if (!readable) unpublishable.add(position);
    if (!readable || service.published?.has(readable.event.id)) return [];
    return [{ ...readable, position, sequenceNumber: record.sequenceNumber }];
  });
  const appending = appendAll(fired, service, unpublished);
  const addressed = await addressAll(fired, service, unpublished);
  const positions = new Map(addressed.map(({ delivery, position }) => [delivery, position]));
  for (const { delivery, senderFault } of await sendWhatIsInFeed(addressed, appending, service)) {
    (senderFault ? unpublishable : failed).add(positions.get(delivery) ?? 0);
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
    if (!failed.has(position) && !unpublishable.has(position)) service.published?.add(event.id);
  }
  await service.feed.settled();
  return (unparked ?? records[published])?.sequenceNumber;
}

/** Sends each delivery to its queue, and returns those that were refused. */
async function sendAll(addressed: readonly Addressed[], { queues }: PublishService): Promise<Refusal[]> {
  const refused = await Promise.all(
    LANES.map((lane) =>
      queues[lane].sendAll(addressed.filter((each) => each.lane === lane).map(({ delivery }) => delivery)),
    ),
  );
  return refused.flat();
}

/** Appends events to the feed. Returns whether it worked; if not, none of them may be sent. */
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

/** Begins to append the events of each organisation to its feed. */
function appendAll(fired: readonly Fired[], service: PublishService, unpublished: Unpublished): Appending {
  const inFeed = new Set<number>();
  const byOrganisation = Map.groupBy(fired, ({ orgId }) => orgId);
  const ended = inParallel([...byOrganisation], FEEDS_AT_ONCE, async ([orgId, ofOrganisation]) => {
    if (!(await appendToFeed(orgId, ofOrganisation, service, unpublished))) return;
    for (const { position } of ofOrganisation) inFeed.add(position);
  });
  return { inFeed, ended };
}

/**
 * Sends the deliveries of the events that are in the feed, and returns those that were refused. An organisation whose
 * feed does not acknowledge in time is waited for only after the others' deliveries are sent.
 */
async function sendWhatIsInFeed(
  addressed: readonly Addressed[],
  { inFeed, ended }: Appending,
  service: PublishService,
): Promise<Refusal[]> {
  await Promise.race([ended, service.wait(ACKNOWLEDGED_WITHIN_MS)]);
  const inTime = new Set(inFeed);
  const refused = await sendAll(
    addressed.filter(({ position }) => inTime.has(position)),
    service,
  );
  await ended;
  const late = addressed.filter(({ position }) => inFeed.has(position) && !inTime.has(position));
  return [...refused, ...(await sendAll(late, service))];
}

/** The deliveries of all events, one per event and subscribed endpoint. */
async function addressAll(
  fired: readonly Fired[],
  service: PublishService,
  { failed }: Unpublished,
): Promise<Addressed[]> {
  const endpointsOf = listedOnce(service.endpoints);
  const addressed = await Promise.all(
    fired.map(async (event) => {
      try {
        return await address(event, endpointsOf, service);
      } catch (error) {
        logger.error("publish failed", { sequenceNumber: event.sequenceNumber, cause: error });
        failed.add(event.position);
        return [];
      }
    }),
  );
  return addressed.flat();
}

type EndpointsOf = (orgId: string) => Promise<readonly DeliveryEndpoint[]>;

/** Lists the endpoints of each organisation in a batch only once. */
function listedOnce(endpoints: PublishService["endpoints"]): EndpointsOf {
  const subscriptions = new Map<string, Promise<readonly DeliveryEndpoint[]>>();
  return (orgId) => {
    const known = subscriptions.get(orgId) ?? endpoints.list(orgId);
    subscriptions.set(orgId, known);
    return known;
  };
}

/** The deliveries of one event. */
async function address(
  { orgId, event, position }: Fired,
  endpointsOf: EndpointsOf,
  { now, resentAt, onAddressed = () => {} }: PublishService,
): Promise<Addressed[]> {
  const subject = subjectOf(event);
  const subscribed = (await endpointsOf(orgId)).filter(
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
    const keepsBody = !isTroubled(endpoint) && isPrompt(delivery, now());
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
