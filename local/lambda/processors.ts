import { cpus } from "node:os";

/** The least time over which the processors' load is measured, in ms. The system counts in steps of some 10 ms. */
const LEAST_MS = 200;
/** Processors that are idle for a smaller part of the time are busy. */
const LEAST_IDLE = 0.1;

/** The load of this machine's processors, by all programs. */
export class Processors {
  #measuredAt = performance.now();
  #times = timesOf();
  #areBusy = false;

  /** Whether they can do no more, measured since the last call that is long enough ago. */
  areBusy(): boolean {
    if (performance.now() - this.#measuredAt < LEAST_MS) return this.#areBusy;
    const times = timesOf();
    this.#areBusy = times.idle - this.#times.idle < LEAST_IDLE * (times.all - this.#times.all);
    this.#times = times;
    this.#measuredAt = performance.now();
    return this.#areBusy;
  }
}

/** The time since the system started, of all processors together, in ms. */
function timesOf() {
  const each = cpus().map(({ times }) => times);
  return {
    idle: each.reduce((sum, { idle }) => sum + idle, 0),
    all: each.reduce((sum, { user, nice, sys, idle, irq }) => sum + user + nice + sys + idle + irq, 0),
  };
}
