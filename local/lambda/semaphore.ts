/** Lets a limited number of pieces of work run at once. The others wait, first come, first served. */
export class Semaphore {
  readonly #waiting: (() => void)[] = [];
  #free: number;

  /** @param most how many run at once */
  constructor(most: number) {
    this.#free = most;
  }

  async run<Result>(work: () => Promise<Result>): Promise<Result> {
    if (this.#free > 0) this.#free -= 1;
    else await new Promise<void>((resolve) => this.#waiting.push(resolve));
    try {
      return await work();
    } finally {
      const next = this.#waiting.shift();
      if (next) next();
      else this.#free += 1;
    }
  }
}
