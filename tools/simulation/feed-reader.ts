import type { EventPage } from "#contract/event-feed";
import type { EventType } from "#contract/events";
import { DAY } from "#runtime/durations";
import type { Response } from "./history.ts";

type FeedEvent = EventPage["data"][number];

/** What a reader of an organisation's event feed received. */
export interface FeedRead {
  readonly orgId: string;
  readonly events: readonly FeedEvent[];
  /** Responses that no reader should get, as text. */
  readonly complaints: readonly string[];
}

/** How long events are kept after the time of a cursor, in ms (docs/decisions/0045). */
const KEPT_MS = 31 * DAY;
/** Far more pages than the feed of any story has. */
const MOST_PAGES = 2_000;

/** The events that a reader asks for; all if a member is absent. */
export interface Selection {
  readonly types?: readonly EventType[];
  readonly since?: string;
}

/** Follows the cursor of an organisation's event feed, as an integrator does. */
export class FeedReader {
  readonly orgId: string;
  readonly events: FeedEvent[] = [];
  readonly complaints: string[] = [];
  /** @returns undefined when there is no response */
  readonly #request: (query: Readonly<Record<string, string>>) => Promise<Response | undefined>;
  readonly #now: () => number;
  readonly #selection: Selection;
  #cursor: string | undefined;
  #readAt: number;
  #isReading = false;

  constructor(
    orgId: string,
    request: (query: Readonly<Record<string, string>>) => Promise<Response | undefined>,
    now: () => number,
    selection: Selection = {},
  ) {
    this.orgId = orgId;
    this.#request = request;
    this.#now = now;
    this.#selection = selection;
    this.#readAt = now();
  }

  /** Reads a page. If there is no response, the next call requests the same page again. */
  async poll(limit: number): Promise<boolean> {
    if (this.#isReading) return false;
    this.#isReading = true;
    const startedAt = this.#now();
    const { types, since } = this.#selection;
    const response = await this.#request({
      limit: String(limit),
      ...(types && { types: types.join() }),
      ...(this.#cursor === undefined ? since && { since } : { cursor: this.#cursor }),
    });
    this.#isReading = false;
    if (!response || response.status >= 500) return false;
    if (response.status !== 200) {
      if (startedAt - this.#readAt < KEPT_MS) this.complaints.push(JSON.stringify(response.body));
      this.#cursor = undefined;
      return true;
    }
    const { data, nextCursor, hasMore } = response.body as EventPage;
    if (data.length > limit) this.complaints.push(`a page of ${limit} has ${data.length} events`);
    this.events.push(...data);
    this.#cursor = nextCursor;
    this.#readAt = startedAt;
    return hasMore;
  }

  /** Continues to read as long as there are more pages. */
  async readOn(limit: number): Promise<void> {
    for (let page = 0; page < MOST_PAGES; page++) {
      if (!(await this.poll(limit))) return;
    }
    this.complaints.push("the feed has no end");
  }
}
