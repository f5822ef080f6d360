import type { Changes, Lists, Snapshot } from "./view.ts";

/** The most items in each list. The least recently changed items are removed first. */
const LIMITS: Record<keyof Lists, number> = {
  organisations: 200,
  candidates: 500,
  events: 500,
  endpoints: 500,
  deliveries: 500,
  inboxes: 50,
  received: 200,
};
const NAMES = Object.keys(LIMITS) as (keyof Lists)[];

/** A bounded list of keyed items that records its changes. */
class BoardList<Item extends { readonly key: string }> {
  readonly #items = new Map<string, Item>();
  readonly #changed = new Set<string>();
  readonly #limit: number;
  readonly #onChange: () => void;

  constructor(limit: number, onChange: () => void) {
    this.#limit = limit;
    this.#onChange = onChange;
  }

  get(key: string): Item | undefined {
    return this.#items.get(key);
  }

  values(): Item[] {
    return [...this.#items.values()];
  }

  put(item: Item): void {
    this.#items.delete(item.key);
    this.#items.set(item.key, item);
    this.#note(item.key);
    const [oldest] = this.#items.keys();
    if (this.#items.size > this.#limit && oldest !== undefined) this.remove(oldest);
  }

  remove(key: string): void {
    if (this.#items.delete(key)) this.#note(key);
  }

  /** The items added and removed since the last call; undefined if there are none. */
  takeChanges(): { readonly put: Item[]; readonly removed: string[] } | undefined {
    if (this.#changed.size === 0) return undefined;
    const keys = [...this.#changed];
    this.#changed.clear();
    return {
      put: keys.flatMap((key) => this.#items.get(key) ?? []),
      removed: keys.filter((key) => !this.#items.has(key)),
    };
  }

  #note(key: string): void {
    this.#changed.add(key);
    this.#onChange();
  }
}

/** Everything that the page shows. */
export type Board = { readonly [Name in keyof Lists]: BoardList<Lists[Name]> };

export function emptyBoard(onChange: () => void): Board {
  return Object.fromEntries(NAMES.map((name) => [name, new BoardList(LIMITS[name], onChange)])) as Board;
}

export function snapshotOf(board: Board): Snapshot {
  return Object.fromEntries(NAMES.map((name) => [name, board[name].values()])) as unknown as Snapshot;
}

/** The changes since the last call. */
export function takeChanges(board: Board): Changes {
  const changed = NAMES.map((name) => [name, board[name].takeChanges()] as const);
  return Object.fromEntries(changed.filter(([, changes]) => changes !== undefined)) as Changes;
}
