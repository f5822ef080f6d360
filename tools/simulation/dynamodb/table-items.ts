import type { StreamViewType } from "@aws-sdk/client-dynamodb-streams";
import { copyOf, type Item, isSameItem } from "./attribute-value.ts";
import { type Found, ItemStore, type Key } from "./item-store.ts";
import { nameOf, type TableSchema } from "./table-schema.ts";
import { type Shard, TableStream } from "./table-stream.ts";

/** Items that expired longer ago are left alone (Amazon DynamoDB Developer Guide, "Time to Live"): five years. */
const LONGEST_EXPIRED_SECONDS = 5 * 365 * 24 * 60 * 60;

/** What the simulation decides of a table's items. */
export interface ItemDependencies {
  /** The simulation's clock, in ms since 1970; it never goes back. */
  now(): number;
  /** At least 0 and less than 1: how old the state is that an eventually consistent read returns. */
  random(): number;
  /** The age of the oldest state that such a read may return, in ms. */
  readonly stalenessMs?: number;
  /** Shards of the stream. */
  readonly shards?: number;
}

/** The items that a query may return, in order. */
export type RangeQuery = Omit<Parameters<ItemStore["query"]>[0], "asOf">;

/** The items of a table as they are and as reads return them, their expiry, and the stream of their changes. */
export class TableItems {
  readonly #schema: TableSchema;
  readonly #store: ItemStore;
  readonly #stream: TableStream | undefined;
  readonly #expiring = new Map<string, Key>();
  readonly #now: () => number;
  readonly #random: () => number;
  readonly #stalenessMs: number;

  constructor(
    schema: TableSchema,
    view: StreamViewType | undefined,
    { now, random, stalenessMs = 1_000, shards = 4 }: ItemDependencies,
  ) {
    this.#schema = schema;
    this.#stream = view && new TableStream(view, shards);
    this.#now = now;
    this.#random = random;
    this.#stalenessMs = stalenessMs;
    const indexKeys = [...schema.indexes].map(([name, { keys }]) => [name, keys] as const);
    this.#store = new ItemStore(schema.keys, new Map(indexKeys), stalenessMs);
  }

  get shards(): readonly Shard[] {
    return this.#stream?.shards ?? [];
  }

  /** Every item as it is, as copies. */
  *copies(): Generator<Item> {
    for (const { item } of this.#store.items()) yield copyOf(item);
  }

  /** The item as it is. */
  present(key: Key): Item | undefined {
    return this.#store.get(key);
  }

  /** The item as a read returns it. */
  read(key: Key, isConsistent: boolean | undefined): Item | undefined {
    return this.#store.get(key, this.#asOf(isConsistent));
  }

  query(query: RangeQuery, isConsistent: boolean | undefined): Generator<Found> {
    return this.#store.query({ ...query, asOf: this.#asOf(isConsistent) });
  }

  /** The moment whose state a read returns. */
  #asOf(isConsistent: boolean | undefined): number {
    if (isConsistent) return Number.POSITIVE_INFINITY;
    return this.#now() - Math.floor(this.#random() * (this.#stalenessMs + 1));
  }

  commit(
    key: Key,
    before: Item | undefined,
    after: Item | undefined,
    { isExpiry = false }: { readonly isExpiry?: boolean } = {},
  ): void {
    // A write that changes nothing leaves no record (Amazon DynamoDB Developer Guide, "Change data capture").
    const isUnchanged = before && after ? isSameItem(before, after) : before === after;
    if (isUnchanged) return;
    const at = this.#now();
    this.#store.put(key, after, at);
    if (after && this.#schema.expiryOf(after) !== undefined) this.#expiring.set(nameOf(key), key);
    else if (before && this.#schema.expiryOf(before) !== undefined) this.#expiring.delete(nameOf(key));
    const keys = { [this.#schema.keys.partition]: { S: key.pk }, [this.#schema.keys.sort]: { S: key.sk } };
    this.#stream?.append(key.pk, { keys, before, after, at, isExpiry });
  }

  /**
   * Removes items that have expired, which reads return until then.
   *
   * @param selects which of the expired items are removed this time
   * @returns how many were removed
   */
  removeExpired(selects: (key: Key) => boolean = () => true): number {
    const seconds = this.#now() / 1000;
    let removed = 0;
    for (const key of this.#expiring.values()) {
      const item = this.#store.get(key);
      const expiry = item && this.#schema.expiryOf(item);
      if (expiry === undefined || expiry >= seconds) continue;
      if (expiry < seconds - LONGEST_EXPIRED_SECONDS || !selects(key)) continue;
      this.commit(key, item, undefined, { isExpiry: true });
      removed += 1;
    }
    return removed;
  }
}
