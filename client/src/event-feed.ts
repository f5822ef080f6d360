import { arrayOf, isId, isObject, isText } from "./checks.ts";
import type { EventPage, EventType, FeedEvent } from "./contract-types.ts";
import { assertCallOptions, type CallOptions } from "./options.ts";
import { PagePacer } from "./page-pacer.ts";
import { assertQuery, FOLLOW_QUERY, type WithoutSignal } from "./query.ts";
import { bodyOf, type ServiceResponse } from "./service-response.ts";
import { wait } from "./wait.ts";

/** How long a reader that follows the feed waits at its end before it requests more events, in ms. */
const POLL_MS = 1_000;
/** The same wait after a page with events, which may be followed by others soon. */
const POLL_SOON_MS = 250;

/** Which events to read. Without `cursor` and `since`, reading starts at the oldest kept event (30 days). */
export interface EventsQuery extends WithoutSignal {
  /** The `nextCursor` of an earlier page. Not together with `since`. */
  readonly cursor?: string | undefined;
  /** The time from which to read: an RFC 3339 date-time, or a `Date`. */
  readonly since?: string | Date | undefined;
  /** Only events of these types; of all if omitted. */
  readonly types?: readonly EventType[] | undefined;
  /** The maximum number of events on a page, 1 to 100; 100 if omitted. */
  readonly limit?: number | undefined;
}

export interface FollowQuery extends EventsQuery {
  /**
   * Waits for more events at the end, until you leave the loop or abort the signal. Calls are then repeated for as
   * long as the service cannot be reached.
   */
  readonly follow?: boolean | undefined;
}

/** Reads one page. A patient call is repeated for as long as it fails in a way that may pass. */
export type ReadPage = (
  query: EventsQuery,
  options: CallOptions,
  how: { readonly patient: boolean },
) => Promise<EventPage>;

/**
 * The organisation's events, one by one in the order of publication: `for await (const event of feed)`. To resume later
 * where you stopped, read its {@link pages}.
 */
export class EventFeed implements AsyncIterable<FeedEvent> {
  readonly #read: ReadPage;
  readonly #query: FollowQuery;
  readonly #options: CallOptions;

  /** @throws TypeError if the query has a member of another name or type */
  constructor(read: ReadPage, query: FollowQuery, options: CallOptions = {}) {
    assertQuery(query, FOLLOW_QUERY);
    this.#read = read;
    this.#query = query;
    this.#options = options;
  }

  async *[Symbol.asyncIterator](): AsyncGenerator<FeedEvent, void, undefined> {
    for await (const { data } of this.pages()) yield* data;
  }

  /**
   * The same in pages, each with the checkpoint `nextCursor`. A reader that stores it after it has handled the page's
   * events, and begins with it the next time, gets every event at least once.
   */
  async *pages(): AsyncGenerator<EventPage, void, undefined> {
    assertCallOptions(this.#options);
    const { follow = false, cursor, since, ...filter } = this.#query;
    let position: Pick<EventsQuery, "cursor" | "since"> = { cursor, since };
    const { signal } = this.#options;
    const newPacer = () => new PagePacer(filter.types !== undefined, signal);
    let pacer = newPacer();
    for (;;) {
      const at = performance.now();
      const page = await this.#read({ ...filter, ...position }, this.#options, { patient: follow });
      yield page;
      if (page.hasMore) {
        await pacer.next(page, { cursor: position.cursor, at });
      } else {
        if (!follow) return;
        await wait(page.data.length > 0 ? POLL_SOON_MS : POLL_MS, signal);
        // Empty pages before the end of the feed and after it are not in a row.
        pacer = newPacer();
      }
      position = { cursor: page.nextCursor };
    }
  }
}

/** A page, as far as its readers depend on it. */
export function eventPageIn(response: ServiceResponse): EventPage {
  return bodyOf<EventPage>(response, {
    data: arrayOf(isEvent),
    nextCursor: isId,
    hasMore: (value) => typeof value === "boolean",
  });
}

function isEvent(value: unknown): boolean {
  return (
    isObject(value) &&
    isId(value["id"]) &&
    isId(value["type"]) &&
    isTime(value["occurredAt"]) &&
    isObject(value["data"]) &&
    isSubject(value["data"])
  );
}

/** What an event is about. Later versions may have events about something else. */
function isSubject({ stagedId, webhookEndpointId }: Readonly<Record<string, unknown>>): boolean {
  return [stagedId, webhookEndpointId].every((id) => id === undefined || isId(id));
}

function isTime(value: unknown): boolean {
  return isText(value) && !Number.isNaN(Date.parse(value));
}
