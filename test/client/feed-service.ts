import type { ServerResponse } from "node:http";
import { onTestFinished } from "vitest";
import type { EventType, FeedEvent } from "../../client/src/index.ts";
import { sendJson, startService } from "./scripted-service.ts";

/** An event as the feed has it. */
export function aFeedEvent(
  number: number,
  { type = "candidate.received", candidate = "1", sequence = 1 }: Partial<EventDetails> = {},
): FeedEvent {
  return {
    id: `evt_${number}`,
    type,
    apiVersion: "1.2.0",
    occurredAt: timeOf(number),
    sequence,
    data: {
      stagedId: `staged_${candidate}`,
      id: null,
      externalId: `ext-${candidate}`,
      status: "received",
      verificationStatus: "in_review",
      availabilityStatus: "pending",
    },
  } as FeedEvent;
}

/** When the event of a number occurred, and was published. */
export function timeOf(number: number): string {
  return new Date(Date.parse("2026-11-21T09:00:00Z") + number * 1_000).toISOString();
}

interface EventDetails {
  readonly type: Exclude<EventType, `webhook_endpoint.${string}`>;
  readonly candidate: string;
  readonly sequence: number;
}

/** The service's message for an expired cursor. */
const EXPIRED = "cursor: expired; events are kept for 30 days; start with since=2026-11-21T09:00:00.000Z";

/** Does something else with a request; the feed responds if it returns false. */
type Fault = (response: ServerResponse, query: URLSearchParams) => boolean;

/** A service on loopback that has nothing but a feed of events, which a test adds to, until the test ends. */
export async function aFeedService(...events: FeedEvent[]) {
  const service = await startFeedService(...events);
  onTestFinished(service.stop);
  return service;
}

/** The same until it is stopped: of concurrent tests, none is the current one. */
export async function startFeedService(...events: FeedEvent[]) {
  const feed = {
    events,
    /** The queries of every request. */
    queries: [] as URLSearchParams[],
    /** The API keys of every request. */
    keys: [] as unknown[],
    /** Cursors before this position have expired. */
    oldest: 0,
    fault: undefined as Fault | undefined,
  };
  const { baseUrl, stop } = await startService((response, { path, headers }) => {
    const { pathname, searchParams } = new URL(path, "http://feed");
    feed.queries.push(searchParams);
    feed.keys.push(headers["x-api-key"]);
    if (feed.fault?.(response, searchParams)) return;
    if (pathname !== "/v1/events") refuse(response, 404, "not_found", "There is no such route.");
    else respond(response, searchParams);
  });
  return Object.assign(feed, { baseUrl, stop });

  function respond(response: ServerResponse, query: URLSearchParams): void {
    const [cursor, since, types] = ["cursor", "since", "types"].map((name) => query.get(name));
    const from = positionOf(cursor, since);
    if (from === undefined || (cursor && since)) {
      refuse(response, 400, "invalid_request", "cursor: the nextCursor of the previous page is expected");
      return;
    }
    if (from < feed.oldest) {
      refuse(response, 400, "events_expired", EXPIRED);
      return;
    }
    const end = Math.min(from + Number(query.get("limit") ?? 100), feed.events.length);
    const page = feed.events.slice(from, end);
    const data = types ? page.filter(({ type }) => types.split(",").includes(type)) : page;
    sendJson(response, 200, { data, nextCursor: `at-${end}`, hasMore: end < feed.events.length });
  }

  function positionOf(cursor?: string | null, since?: string | null): number | undefined {
    const { events, oldest } = feed;
    if (since) return Math.max(oldest, events.filter(({ occurredAt }) => occurredAt < since).length);
    if (!cursor) return oldest;
    const position = Number(/^at-(\d+)$/.exec(cursor)?.[1] ?? Number.NaN);
    return Number.isNaN(position) ? undefined : position;
  }
}

/** A refusal in the envelope. */
export function refuse(
  response: ServerResponse,
  status: number,
  error: string,
  message: string,
  headers = {},
): void {
  sendJson(response, status, { error, message }, headers);
}
