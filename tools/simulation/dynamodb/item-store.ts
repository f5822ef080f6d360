import { attributeOf, compareText, type Item } from "./attribute-value.ts";

/** An item from one moment on, until the next version; without an item it does not exist. */
interface Version {
  /** In ms of the simulation's clock. */
  readonly at: number;
  readonly item: Item | undefined;
}

export interface Key {
  readonly pk: string;
  readonly sk: string;
}

/** The versions of one item, oldest first: the present one, and those that a read may still return. */
class Entry {
  readonly key: Key;
  readonly versions: Version[] = [];

  constructor(key: Key) {
    this.key = key;
  }

  get present(): Version | undefined {
    return this.versions.at(-1);
  }

  asOf(moment: number): Version | undefined {
    for (let index = this.versions.length - 1; index >= 0; index--) {
      const version = this.versions[index] as Version;
      if (version.at <= moment) return version;
    }
    return undefined;
  }

  forgetBefore(moment: number): void {
    while ((this.versions[1]?.at ?? Number.POSITIVE_INFINITY) <= moment) this.versions.shift();
  }
}

/** An item's place in an index; the index keeps it while a version has this place that a read may still return. */
interface Row {
  readonly sort: string;
  readonly entry: Entry;
}

interface Place {
  readonly partition: string;
  readonly sort: string;
}

/** The attributes that are the partition key and the sort key of the table or of an index: strings all. */
export interface KeyAttributes {
  readonly partition: string;
  readonly sort: string;
}

/** Items by a partition key, in the order of a sort key. */
class Index {
  readonly #keys: KeyAttributes;
  readonly #partitions = new Map<string, Row[]>();

  constructor(keys: KeyAttributes) {
    this.#keys = keys;
  }

  placeOf(item: Item | undefined): Place | undefined {
    const partition = item && attributeOf(item, this.#keys.partition);
    const sort = item && attributeOf(item, this.#keys.sort);
    if (!partition || !sort || !("S" in partition) || !("S" in sort)) return undefined;
    return { partition: partition.S, sort: sort.S };
  }

  isAt(item: Item | undefined, place: Place): boolean {
    const actual = this.placeOf(item);
    return actual?.partition === place.partition && actual.sort === place.sort;
  }

  rows(partition: string): readonly Row[] {
    return this.#partitions.get(partition) ?? [];
  }

  add({ partition, sort }: Place, entry: Entry): void {
    const rows = this.#partitions.get(partition);
    if (!rows) {
      this.#partitions.set(partition, [{ sort, entry }]);
      return;
    }
    const position = firstNotBefore(rows, sort, entry.key);
    const row = rows[position];
    if (row?.entry !== entry || row.sort !== sort) rows.splice(position, 0, { sort, entry });
  }

  remove({ partition, sort }: Place, entry: Entry): void {
    const rows = this.#partitions.get(partition);
    if (!rows) return;
    const position = firstNotBefore(rows, sort, entry.key);
    const row = rows[position];
    if (row?.entry === entry && row.sort === sort) rows.splice(position, 1);
    if (rows.length === 0) this.#partitions.delete(partition);
  }
}

/** The order of rows: by sort key, and equal ones by the items' own keys, which AWS does not specify. */
function compareRow(row: Row, sort: string, key: Key): number {
  return (
    compareText(row.sort, sort) ||
    compareText(row.entry.key.pk, key.pk) ||
    compareText(row.entry.key.sk, key.sk)
  );
}

function firstNotBefore(rows: readonly Row[], sort: string, key: Key): number {
  return firstWhere(rows, (row) => compareRow(row, sort, key) >= 0);
}

/** The position of the first row that a condition holds of which holds of all after it. */
function firstWhere(rows: readonly Row[], condition: (row: Row) => boolean): number {
  let [low, high] = [0, rows.length];
  while (low < high) {
    const middle = (low + high) >>> 1;
    if (condition(rows[middle] as Row)) high = middle;
    else low = middle + 1;
  }
  return low;
}

/** A range of sort keys, in their order. */
export interface SortRange {
  isBefore(sort: string): boolean;
  isAfter(sort: string): boolean;
}

interface RangeQuery {
  /** The name of the index; the table itself when absent. */
  readonly indexName?: string | undefined;
  readonly partition: string;
  readonly range: SortRange;
  readonly isForward: boolean;
  /** Where to go on: the place of the item that the page before ended with. */
  readonly after?: (Key & { readonly sort: string }) | undefined;
  readonly asOf: number;
}

export interface Found {
  readonly key: Key;
  readonly item: Item;
}

/** What leaves a place, and when: its row is removed once no read can return the version that was there. */
interface Departure {
  readonly at: number;
  readonly index: Index;
  readonly place: Place;
  readonly entry: Entry;
}

/** The items of a table and its indexes, with the versions that eventually consistent reads may return. */
export class ItemStore {
  readonly #keys: KeyAttributes;
  readonly #primary: Index;
  readonly #secondary: ReadonlyMap<string, Index>;
  readonly #indexes: readonly Index[];
  readonly #entries = new Map<string, Map<string, Entry>>();
  readonly #keptMs: number;
  #departures: Departure[] = [];

  /** @param keptMs how long a version is kept after another one has taken its place */
  constructor(keys: KeyAttributes, indexes: ReadonlyMap<string, KeyAttributes>, keptMs: number) {
    this.#keys = keys;
    this.#primary = new Index(keys);
    this.#secondary = new Map([...indexes].map(([name, attributes]) => [name, new Index(attributes)]));
    this.#indexes = [this.#primary, ...this.#secondary.values()];
    this.#keptMs = keptMs;
  }

  keyOf(item: Item): Key {
    const place = this.#primary.placeOf(item);
    if (!place) throw new Error(`The item lacks ${this.#keys.partition} or ${this.#keys.sort}.`);
    return { pk: place.partition, sk: place.sort };
  }

  /** The item as it is, or as it was at an earlier moment that is still kept. */
  get({ pk, sk }: Key, asOf = Number.POSITIVE_INFINITY): Item | undefined {
    return this.#entries.get(pk)?.get(sk)?.asOf(asOf)?.item;
  }

  /** Puts an item in the place of the present one, or removes it. */
  put(key: Key, item: Item | undefined, now: number): void {
    this.#removeDeparted(now);
    const entry = this.#entryOf(key);
    const before = entry.present?.item;
    entry.versions.push({ at: now, item });
    entry.forgetBefore(now - this.#keptMs);
    for (const index of this.#indexes) {
      const [from, to] = [index.placeOf(before), index.placeOf(item)];
      if (from && to && from.partition === to.partition && from.sort === to.sort) continue;
      if (to) index.add(to, entry);
      if (from) this.#departures.push({ at: now, index, place: from, entry });
    }
  }

  #entryOf(key: Key): Entry {
    let items = this.#entries.get(key.pk);
    if (!items) {
      items = new Map();
      this.#entries.set(key.pk, items);
    }
    let entry = items.get(key.sk);
    if (!entry) {
      entry = new Entry(key);
      items.set(key.sk, entry);
    }
    return entry;
  }

  #removeDeparted(now: number): void {
    const horizon = now - this.#keptMs;
    const first = this.#departures[0];
    if (!first || first.at > horizon) return;
    const remaining = this.#departures.findIndex(({ at }) => at > horizon);
    const departed = this.#departures.splice(0, remaining === -1 ? this.#departures.length : remaining);
    for (const { index, place, entry } of departed) {
      entry.forgetBefore(horizon);
      if (entry.versions.some(({ item }) => index.isAt(item, place))) continue;
      index.remove(place, entry);
      if (index === this.#primary) this.#forget(entry.key);
    }
  }

  #forget({ pk, sk }: Key): void {
    const items = this.#entries.get(pk);
    items?.delete(sk);
    if (items?.size === 0) this.#entries.delete(pk);
  }

  /** The items of a partition within a range, in order. */
  *query({ indexName, partition, range, isForward, after, asOf }: RangeQuery): Generator<Found> {
    const index = indexName === undefined ? this.#primary : this.#secondary.get(indexName);
    if (!index) throw new Error(`There is no index ${indexName}.`);
    const rows = index.rows(partition);
    let first = firstWhere(rows, ({ sort }) => !range.isBefore(sort));
    let last = firstWhere(rows, ({ sort }) => !range.isBefore(sort) && range.isAfter(sort)) - 1;
    if (after) {
      const position = firstNotBefore(rows, after.sort, after);
      const row = rows[position];
      const isThere = row !== undefined && compareRow(row, after.sort, after) === 0;
      if (isForward) first = Math.max(first, position + Number(isThere));
      else last = Math.min(last, position - 1);
    }
    const step = isForward ? 1 : -1;
    for (let at = isForward ? first : last; at >= first && at <= last; at += step) {
      const { entry, sort } = rows[at] as Row;
      const version = entry.asOf(asOf);
      if (!version?.item || !index.isAt(version.item, { partition, sort })) continue;
      yield { key: entry.key, item: version.item };
    }
  }

  /** Every item as it is, in the order in which their keys were first written. */
  *items(): Generator<Found> {
    for (const items of this.#entries.values()) {
      for (const { key, present } of items.values()) {
        if (present?.item) yield { key, item: present.item };
      }
    }
  }
}
