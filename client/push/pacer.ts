import { setTimeout } from "node:timers/promises";

/** Makes everybody wait when the service asks one to: no call begins before the pause is over. */
export class Pacer {
  #until = 0;

  /** How long the pause still lasts, in ms. */
  get remainingMs(): number {
    return Math.max(0, this.#until - Date.now());
  }

  pause(ms: number): void {
    this.#until = Math.max(this.#until, Date.now() + ms);
  }

  /** Waits the pause out; ends early when the signal is aborted. */
  async ready(signal: AbortSignal): Promise<void> {
    while (this.remainingMs > 0 && !signal.aborted) {
      await setTimeout(this.remainingMs, undefined, { signal }).catch(() => {});
    }
  }
}
