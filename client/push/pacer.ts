import { setTimeout } from "node:timers/promises";

/** Pauses all calls while the service requests a wait: no call starts before the pause is over. */
export class Pacer {
  #until = 0;

  /** The rest of the pause, in ms. */
  get remainingMs(): number {
    return Math.max(0, this.#until - Date.now());
  }

  pause(ms: number): void {
    this.#until = Math.max(this.#until, Date.now() + ms);
  }

  /** Waits for the end of the pause, or until the signal is aborted. */
  async ready(signal: AbortSignal): Promise<void> {
    while (this.remainingMs > 0 && !signal.aborted) {
      await setTimeout(this.remainingMs, undefined, { signal }).catch(() => {});
    }
  }
}
