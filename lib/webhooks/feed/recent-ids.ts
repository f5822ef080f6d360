/** The ids that a process remembers, the latest ones. */
export class RecentIds {
  readonly #remembered: number;
  readonly #ids = new Set<string>();

  /** @param remembered how many ids are remembered; some hundred kilobytes by default */
  constructor(remembered = 5_000) {
    this.#remembered = remembered;
  }

  has(id: string): boolean {
    return this.#ids.has(id);
  }

  add(id: string): void {
    this.#ids.add(id);
    const [oldest] = this.#ids;
    if (oldest !== undefined && this.#ids.size > this.#remembered) this.#ids.delete(oldest);
  }
}
