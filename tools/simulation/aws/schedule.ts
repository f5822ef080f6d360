import type { VirtualClock } from "../virtual-clock.ts";
import type { SimulatedFunction } from "./simulated-function.ts";

interface Dependencies {
  readonly clock: VirtualClock;
  readonly intervalMs: number;
  /** When there is work for the function, if ever. */
  workFrom(): number | undefined;
}

/** Invokes a function at regular intervals, but leaves out those in which it has nothing to do: days have thousands. */
export class SimulatedSchedule {
  readonly #target: SimulatedFunction;
  readonly #dependencies: Dependencies;
  #next = Number.POSITIVE_INFINITY;
  #cancel: (() => void) | undefined;

  constructor(target: SimulatedFunction, dependencies: Dependencies) {
    this.#target = target;
    this.#dependencies = dependencies;
  }

  get isQuiet(): boolean {
    return this.#dependencies.workFrom() === undefined;
  }

  /** To be called when the work may have changed. */
  look(): void {
    const { clock, intervalMs, workFrom } = this.#dependencies;
    const from = workFrom();
    if (from === undefined) return;
    const at = Math.ceil(Math.max(clock.now() + 1, from) / intervalMs) * intervalMs;
    if (at >= this.#next) return;
    this.#cancel?.();
    this.#next = at;
    this.#cancel = clock.after(at - clock.now(), () => void this.#invoke());
  }

  async #invoke(): Promise<void> {
    this.#next = Number.POSITIVE_INFINITY;
    this.look();
    await this.#target.invoke({ "detail-type": "Scheduled Event" });
  }
}
