import { type OutboxRecord, partitionKeyOf } from "#candidates/outbox/outbox";
import { isEndpointEvent, type WebhookEvent } from "#contract/events";
import { inParallel } from "#runtime/in-parallel";
import { logger } from "#runtime/logger";
import { type Delivery, deliveryOf, isPrompt, withoutBody } from "#webhooks/delivery/delivery";
import type { DeliveryQueue, Refusal } from "#webhooks/delivery/delivery-queue";
import { type FiredEvent, readFiredEvent } from "#webhooks/delivery/fired-event";
import type { UnreadableEvents } from "#webhooks/delivery/unreadable-events";
import { LANES, type Lane, laneOf } from "#webhooks/endpoints/lane";
import { DamagedEndpoint } from "#webhooks/endpoints/parse-items";
import type { StoredEndpoint } from "#webhooks/endpoints/stored-endpoint";
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
}

/** An event and its record. */
interface Fired extends FiredEvent {
  readonly record: OutboxRecord;
}

/** A delivery, its queue, and its event's record. */
interface Addressed {
  readonly delivery: Delivery;
  readonly lane: Lane;
  readonly record: OutboxRecord;
}

/** The work on a batch's events before they are sent. */
interface Preparation {
  /** The deliveries of events that are in the feed, until they are sent. */
  readonly ready: Addressed[];
  /** The events that cannot be sent now. */
  readonly failed: Fired[];
  /** The events of organisations that have a damaged endpoint: no retry can send them. */
  readonly blocked: Fired[];
  readonly ended: Promise<unknown>;
}

/**
 * Appends each event to the organisation's feed, and then queues it once for every active endpoint that is subscribed
 * to its type, except for the endpoint that it is about. It uses the queue of the endpoint's lane. An event is parked,
 * so that it does not block others, if it is unreadable or invalid for SQS, or if an endpoint of its organisation is
 * damaged. An organisation whose feed or endpoints fail or are slow does not block others in its batches. Those behind
 * these batches in the stream wait with them.
 *
 * @returns the sequence number of the first record that is not fully published, if any. This record and all later
 *   ones are retried. The retry leaves out events that are already published, unless another process does it:
 *   receivers may then receive events again, with the same event id
 */
export async function publish(
  records: readonly OutboxRecord[],
  service: PublishService,
): Promise<string | undefined> {
  /** What no retry can publish: unreadable and blocked events, and those that are invalid for SQS. */
  const unpublishable = new Set<OutboxRecord>();
  const fired = records.flatMap((record): Fired[] => {
    const readable = readableEvent(record);
    if (!readable) unpublishable.add(record);
    if (!readable || service.published.has(readable.event.id)) return [];
    return [{ ...readable, record }];
  });
  const preparation = prepareAll(fired, service);
  const refused = await sendAsReady(preparation, service);
  for (const { record } of preparation.blocked) unpublishable.add(record);
  const failed = new Set(preparation.failed.map(({ record }) => record));
  for (const { record, senderFault } of refused) (senderFault ? unpublishable : failed).add(record);
  const firstFailed = records.findIndex((record) => failed.has(record));
  // Unpublishable records after a failed one are retried with it, and parked then.
  const passed = firstFailed < 0 ? records : records.slice(0, firstFailed);
  const unparked = await firstNotParked(
    passed.filter((record) => unpublishable.has(record)),
    service,
  );
  for (const { record, event } of fired) {
    if (!failed.has(record) && !unpublishable.has(record)) service.published.add(event.id);
  }
  await service.feed.settled();
  return (unparked ?? records[firstFailed])?.sequenceNumber;
}

function readableEvent(record: OutboxRecord): FiredEvent | undefined {
  try {
    return readFiredEvent(record);
  } catch (error) {
    logger.error("unreadable event", { ...positionOf(record), cause: error });
    return undefined;
  }
}

/**
 * Where an event is that may have no readable id: the key of its candidate or endpoint, and its place in the stream.
 */
function positionOf(record: OutboxRecord) {
  return { pk: partitionKeyOf(record), sequenceNumber: record.sequenceNumber };
}

/** Sends each delivery to its queue, and returns those that were refused. */
async function sendAll(
  addressed: readonly Addressed[],
  { queues }: PublishService,
): Promise<(Pick<Refusal, "senderFault"> & Pick<Addressed, "record">)[]> {
  const refused = await Promise.all(
    LANES.map((lane) =>
      queues[lane].sendAll(addressed.filter((each) => each.lane === lane).map(({ delivery }) => delivery)),
    ),
  );
  const faults = new Map(refused.flat().map(({ delivery, senderFault }) => [delivery, senderFault]));
  return addressed
    .filter(({ delivery }) => faults.has(delivery))
    .map(({ delivery, record }) => ({ record, senderFault: faults.get(delivery) === true }));
}

/** Begins the work for each organisation of a batch, one after the other, without waiting for slow ones. */
function prepareAll(fired: readonly Fired[], service: PublishService): Preparation {
  const ready: Addressed[] = [];
  const failed: Fired[] = [];
  const blocked: Fired[] = [];
  const preparations: Promise<void>[] = [];
  const byOrganisation = Map.groupBy(fired, ({ orgId }) => orgId);
  const allBegun = inParallel([...byOrganisation], BEGUN_AT_ONCE, async ([orgId, ofOrganisation]) => {
    const preparation = prepare(orgId, ofOrganisation, service).then((addressed) => {
      if (addressed === "blocked") blocked.push(...ofOrganisation);
      else if (addressed) ready.push(...addressed);
      else failed.push(...ofOrganisation);
    });
    preparations.push(preparation);
    await Promise.race([preparation, service.wait(PATIENCE_MS)]);
  });
  return { ready, failed, blocked, ended: allBegun.then(() => Promise.all(preparations)) };
}

/**
 * Appends an organisation's events to its feed.
 *
 * @returns the deliveries that may then be sent; undefined if the feed or the endpoints failed, so that none may be;
 *   "blocked" if no retry can send any
 */
async function prepare(
  orgId: string,
  fired: readonly Fired[],
  service: PublishService,
): Promise<Addressed[] | "blocked" | undefined> {
  const failed = (message: string) => (cause: unknown) => {
    logger.error(message, { orgId, eventIds: fired.map(({ event }) => event.id), cause });
    return undefined;
  };
  const events = fired.map(({ event }) => event);
  const [isInFeed, endpoints] = await Promise.all([
    service.feed.append(orgId, events).then(() => true, failed("events not appended to the feed")),
    service.endpoints.list(orgId).catch((cause: unknown) => {
      failed("endpoints not read")(cause);
      return cause instanceof DamagedEndpoint ? "blocked" : undefined;
    }),
  ]);
  if (!isInFeed || !endpoints) return undefined;
  if (endpoints === "blocked") return endpoints;
  return fired.flatMap((each) => address(each, endpoints, service));
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

/** The deliveries of one event, one per subscribed endpoint. */
function address(
  { orgId, event, record }: Fired,
  endpoints: readonly StoredEndpoint[],
  { now, resentAt }: PublishService,
): Addressed[] {
  const subject = subjectOf(event);
  const subscribed = endpoints.filter(
    ({ id, active, eventTypes }) =>
      active && eventTypes.includes(event.type) && id !== subject.webhookEndpointId,
  );
  const ids = { orgId, eventId: event.id, eventType: event.type, ...subject };
  logger.info("event", { ...ids, endpoints: subscribed.length });
  return subscribed.map((endpoint) => {
    const delivery = { ...deliveryOf(event, orgId, endpoint.id, now()), ...(resentAt && { resentAt }) };
    const lane = laneOf(endpoint);
    const keepsBody = lane !== "retry" && isPrompt(delivery, now());
    return { delivery: keepsBody ? delivery : withoutBody(delivery), lane, record };
  });
}

/** What an event is about. A candidate is named as in the request logs. */
function subjectOf(event: WebhookEvent): { readonly stagedId?: string; readonly webhookEndpointId?: string } {
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
      logger.error("event not parked", { ...positionOf(record), cause: error });
      return record;
    }
  }
  return undefined;
}
