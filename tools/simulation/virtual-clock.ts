import { Heap } from "../../local/sqs/heap.ts";

interface Timer {
  readonly at: number;
  readonly order: number;
  readonly run: () => void;
}

// The simulation replaces the timers of the process while it runs.
const { setImmediate } = globalThis;

/** Time that passes only when there is nothing left to do at the current moment. In ms since 1970. */
export class VirtualClock {
  #now: number;
  #lastOrder = 0;
  readonly #timers = new Heap<Timer>((left, right) =>
    left.at === right.at ? left.order < right.order : left.at < right.at,
  );

  constructor(now: number) {
    this.#now = now;
  }

  now(): number {
    return this.#now;
  }

  /** @returns a function that cancels the timer */
  after(ms: number, run: () => void): () => void {
    this.#lastOrder += 1;
    const timer = { at: this.#now + Math.max(0, ms), order: this.#lastOrder, run };
    this.#timers.add(timer);
    return () => this.#timers.remove(timer);
  }

  delay(ms: number): Promise<void> {
    return new Promise((resolve) => {
      this.after(ms, resolve);
    });
  }

  /**
   * Lets time pass until `until`, or until `isOver` returns true. Between two timers, all promises settle that can.
   */
  async run(until: number, isOver: () => boolean = () => false): Promise<void> {
    await settled();
    for (let next = this.#timers.first; next && next.at <= until; next = this.#timers.first) {
      if (isOver()) return;
      this.#timers.remove(next);
      this.#now = next.at;
      next.run();
      await settled();
    }
    if (!isOver()) this.#now = Math.max(this.#now, until);
  }
}

function settled(): Promise<void> {
  return new Promise((resolve) => {
    setImmediate(resolve);
  });
}
