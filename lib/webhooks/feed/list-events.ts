import type * as z from "zod/mini";
import { type AbridgedEvent, completedForFeed } from "#candidates/outbox/abridged-event";
import type { CandidateLives } from "#candidates/outbox/candidate-lives";
import { EventsExpired, InvalidRequest } from "#contract/errors";
import { type EventPage, type EventsQuery, encodedCursor } from "#contract/event-feed";
import { type FeedEvent, isEndpointEvent } from "#contract/events";
import { type EventFeed, READ_BEHIND_MS } from "#webhooks/feed/event-feed";
import { type FeedPosition, feedPage } from "#webhooks/feed/feed-page";
import { oldestKept, oldestPromised } from "#webhooks/feed/retention";

export interface ListEventsService {
  readonly feed: Pick<EventFeed, "read">;
  readonly lives: Pick<CandidateLives, "find">;
  readonly retentionDays: number;
  readonly now: () => Date;
}

/**
 * The most that a page's events take up in a response, in bytes: Lambda's 6 MB (AWS Lambda quotas) with room for the
 * headers. An event takes at most 190 KB.
 */
const PAGE_BYTES = 5_500_000;

/**
 * A page of an organisation's events, in the order of their publication. A reader that follows its cursor receives
 * every event at least once. A page ends before its limit if more events would not fit into a response.
 *
 * @throws EventsExpired if events after the cursor or `since` are no longer kept
 * @throws InvalidRequest if the cursor belongs to another organisation
 */
export async function listEvents(
  orgId: string,
  query: z.infer<typeof EventsQuery>,
  service: ListEventsService,
): Promise<EventPage> {
  const after = beginning(orgId, query, service);
  const read = await service.feed.read(orgId, after.position);
  const page = feedPage(read, after, query);
  const data = fitting(await completedAll(orgId, page.events, service));
  const isWhole = data.length === page.events.length;
  const { next, hasMore } = isWhole ? page : feedPage(read, after, { ...query, limit: data.length });
  return { data, nextCursor: encodedCursor(orgId, next.position, next.eventsRead), hasMore };
}

/** The first events that fit into a response, in which Lambda has its body as a string in JSON. */
function fitting(events: readonly FeedEvent[]): FeedEvent[] {
  let bytes = 0;
  return events.filter((event) => {
    bytes += Buffer.byteLength(JSON.stringify(JSON.stringify(event)));
    return bytes <= PAGE_BYTES;
  });
}

/** Where the page begins. */
function beginning(
  orgId: string,
  { cursor, since }: z.infer<typeof EventsQuery>,
  { retentionDays, now }: ListEventsService,
): FeedPosition {
  const oldest = oldestKept(now(), retentionDays).toISOString();
  if (cursor) {
    const [cursorOrgId, position, eventsRead] = cursor;
    if (cursorOrgId !== orgId)
      throw new InvalidRequest("cursor: a nextCursor of your organisation is expected");
    if (position < oldest) throw new EventsExpired(`cursor: expired; ${fromWhen(retentionDays, now())}`);
    return { position, eventsRead };
  }
  if (!since) return { position: oldestPromised(now(), retentionDays).toISOString(), eventsRead: 0 };
  return positionSince(since, { retentionDays, now });
}

/**
 * Where the events since a moment begin.
 *
 * @throws EventsExpired if some of them are no longer kept
 */
export function positionSince(
  since: Date,
  { retentionDays, now }: Pick<ListEventsService, "retentionDays" | "now">,
): FeedPosition {
  // The publisher's clock may be behind the one that set the event's time. A time in the future skips no events.
  const from = new Date(Math.min(since.getTime(), now().getTime()) - READ_BEHIND_MS).toISOString();
  if (from < oldestKept(now(), retentionDays).toISOString())
    throw new EventsExpired(`since: too old; ${fromWhen(retentionDays, now())}`);
  return { position: from, eventsRead: 0 };
}

function fromWhen(retentionDays: number, now: Date): string {
  const oldest = oldestPromised(now, retentionDays).toISOString();
  return `events are kept for ${retentionDays} days; start with since=${oldest}`;
}

/** Adds the members of events that are not stored; each candidate's record is read once. */
function completedAll(
  orgId: string,
  events: readonly AbridgedEvent[],
  { lives }: ListEventsService,
): Promise<FeedEvent[]> {
  const found = new Map<string, ReturnType<CandidateLives["find"]>>();
  return Promise.all(
    events.map(async (event) => {
      if (isEndpointEvent(event)) return event;
      const { stagedId } = event.data;
      const life = found.get(stagedId) ?? lives.find(orgId, stagedId);
      found.set(stagedId, life);
      return completedForFeed(event, await life);
    }),
  );
}
