export interface Percentiles {
  readonly p50: number;
  readonly p99: number;
  readonly max: number;
}

/** Delays in ms, in classes of 2 % each: ten million of them in a few kilobytes. */
export class Delays {
  readonly #classes: number[] = [];
  #max = 0;
  count = 0;

  add(ms: number): void {
    const index = Math.floor(Math.log(Math.max(1, ms)) / Math.log(1.02));
    this.#classes[index] = (this.#classes[index] ?? 0) + 1;
    this.#max = Math.max(this.#max, ms);
    this.count += 1;
  }

  percentiles(): Percentiles {
    return { p50: this.#percentile(0.5), p99: this.#percentile(0.99), max: this.#max };
  }

  #percentile(share: number): number {
    let seen = 0;
    const index = this.#classes.findIndex((count = 0) => {
      seen += count;
      return seen >= share * this.count;
    });
    return Math.round(1.02 ** (index + 1));
  }
}
