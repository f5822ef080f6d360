import type { Lists, Page } from "./page-data.ts";

/** The most items in each list. The oldest items are removed first. */
const LIMITS: Record<keyof Lists, number> = {
  organisations: 200,
  candidates: 10_000,
  events: 20_000,
  endpoints: 500,
  deliveries: 20_000,
  // Inboxes removes those that no endpoint uses.
  inboxes: Number.POSITIVE_INFINITY,
  received: 500,
};

/** By a time that never changes, so that rows do not move under the pointer. */
const POSITIONS: { readonly [Name in keyof Lists]: (item: Lists[Name]) => string } = {
  organisations: ({ key }) => key,
  candidates: ({ receivedAt, stagedId }) => `${receivedAt} ${stagedId}`,
  // Ids of events and endpoints sort by time.
  events: ({ key }) => key,
  endpoints: ({ key }) => key,
  deliveries: ({ eventId, endpointId }) => `${eventId} ${endpointId}`,
  inboxes: ({ key }) => key,
  received: ({ receivedAt, key }) => `${receivedAt} ${key}`,
};

export function candidateKeyOf(orgId: string, stagedId: string): string {
  return `${orgId} ${stagedId}`;
}

/** The key of a delivery, which also opens it on the page. */
export function deliveryKeyOf(endpointId: string, eventId: string): string {
  return `${endpointId}:${eventId}`;
}

/** The part of a list that a page shows. */
export interface Part {
  readonly limit: number;
  /** The position after which it begins; undefined for the newest items. */
  readonly after?: string | undefined;
}

/** A bounded list of keyed items, sorted by position. */
class BoardList<Item extends { readonly key: string }> {
  readonly #byKey = new Map<string, Item>();
  /** Lowest position first, because most items are added at the end. */
  readonly #sorted: Item[] = [];
  readonly #limit: number;
  readonly #positionOf: (item: Item) => string;
  readonly #onChange: () => void;
  #hasRemovedOldest = false;

  constructor(limit: number, positionOf: (item: Item) => string, onChange: () => void) {
    this.#limit = limit;
    this.#positionOf = positionOf;
    this.#onChange = onChange;
  }

  /** The limit, if older items were removed because of it; otherwise null. */
  get newestOnly(): number | null {
    return this.#hasRemovedOldest ? this.#limit : null;
  }

  get(key: string): Item | undefined {
    return this.#byKey.get(key);
  }

  /** In the order in which they were added. */
  values(): IterableIterator<Item> {
    return this.#byKey.values();
  }

  put(item: Item): void {
    const replaced = this.#byKey.get(item.key);
    this.#byKey.set(item.key, item);
    if (replaced) this.#sorted.splice(this.#indexOf(replaced), 1);
    this.#sorted.splice(this.#indexOf(item), 0, item);
    const [oldest] = this.#sorted;
    if (oldest && this.#sorted.length > this.#limit) {
      this.#hasRemovedOldest = true;
      this.remove(oldest.key);
    }
    this.#onChange();
  }

  remove(key: string): void {
    const removed = this.#byKey.get(key);
    if (!removed) return;
    this.#byKey.delete(key);
    this.#sorted.splice(this.#indexOf(removed), 1);
    this.#onChange();
  }

  /** The items that match, highest position first. */
  page(matches: (item: Item) => boolean, { limit, after }: Part): Page<Item> {
    const found = this.#sorted.filter(matches);
    const end = after === undefined ? found.length : this.#indexOfPosition(after, found);
    const start = Math.max(0, end - limit);
    const items = found.slice(start, end).reverse();
    const last = items.at(-1);
    const next = start > 0 && last ? this.#positionOf(last) : null;
    return { items, total: found.length, newestOnly: this.newestOnly, next };
  }

  #indexOf(item: Item): number {
    return this.#indexOfPosition(this.#positionOf(item), this.#sorted);
  }

  /** The index of the first item whose position is not lower. */
  #indexOfPosition(position: string, sorted: readonly Item[]): number {
    let [low, high] = [0, sorted.length];
    while (low < high) {
      const middle = (low + high) >>> 1;
      const item = sorted[middle];
      if (item && this.#positionOf(item) < position) low = middle + 1;
      else high = middle;
    }
    return low;
  }
}

/** Everything that the console knows. */
export type Board = { readonly [Name in keyof Lists]: BoardList<Lists[Name]> };

export function emptyBoard(onChange: () => void): Board {
  const listOf = <Name extends keyof Lists>(name: Name) =>
    new BoardList<Lists[Name]>(LIMITS[name], POSITIONS[name], onChange);
  return {
    organisations: listOf("organisations"),
    candidates: listOf("candidates"),
    events: listOf("events"),
    endpoints: listOf("endpoints"),
    deliveries: listOf("deliveries"),
    inboxes: listOf("inboxes"),
    received: listOf("received"),
  };
}
