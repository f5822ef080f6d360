/**
 * Ordered items. The first can be read, and any can be removed, in logarithmic time. The values that determine the
 * order must not change while an item is in the heap.
 */
export class Heap<Item> {
  readonly #items: Item[] = [];
  readonly #indexes = new Map<Item, number>();
  readonly #isBefore: (left: Item, right: Item) => boolean;

  constructor(isBefore: (left: Item, right: Item) => boolean) {
    this.#isBefore = isBefore;
  }

  get size(): number {
    return this.#items.length;
  }

  get first(): Item | undefined {
    return this.#items[0];
  }

  add(item: Item): void {
    this.#items.push(item);
    this.#rise(item, this.#items.length - 1);
  }

  /** Returns whether the item was in the heap. */
  remove(item: Item): boolean {
    const index = this.#indexes.get(item);
    if (index === undefined) return false;
    const last = this.#items.pop() as Item;
    this.#indexes.delete(item);
    if (index < this.#items.length) {
      this.#rise(last, index);
      this.#sink(last);
    }
    return true;
  }

  #rise(item: Item, from: number): void {
    let index = from;
    while (index > 0) {
      const above = (index - 1) >> 1;
      const parent = this.#items[above] as Item;
      if (!this.#isBefore(item, parent)) break;
      this.#put(parent, index);
      index = above;
    }
    this.#put(item, index);
  }

  #sink(item: Item): void {
    let index = this.#indexes.get(item) ?? 0;
    for (;;) {
      const [left, right] = [2 * index + 1, 2 * index + 2];
      if (left >= this.#items.length) break;
      const [first, second] = [this.#items[left] as Item, this.#items[right] as Item];
      const below = right < this.#items.length && this.#isBefore(second, first) ? right : left;
      const child = this.#items[below] as Item;
      if (!this.#isBefore(child, item)) break;
      this.#put(child, index);
      index = below;
    }
    this.#put(item, index);
  }

  #put(item: Item, index: number): void {
    this.#items[index] = item;
    this.#indexes.set(item, index);
  }
}
