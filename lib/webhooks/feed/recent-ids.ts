/** How many ids a process remembers: some hundred kilobytes. */
const REMEMBERED = 5_000;

/** The ids that a process remembers, the latest ones. */
export class RecentIds {
  readonly #ids = new Set<string>();

  has(id: string): boolean {
    return this.#ids.has(id);
  }

  add(id: string): void {
    this.#ids.add(id);
    const [oldest] = this.#ids;
    if (oldest !== undefined && this.#ids.size > REMEMBERED) this.#ids.delete(oldest);
  }
}
