import { setTimeout } from "node:timers/promises";

/** Pauses all calls while the service accepts none: no call starts before the pause is over. */
export class Pacer {
  #until = 0;
  #reason = "";

  /** Why calls are paused, if they are, and for how much longer, in ms. */
  get pausing(): { readonly reason: string; readonly remainingMs: number } | undefined {
    const remainingMs = this.#until - Date.now();
    return remainingMs > 0 ? { reason: this.#reason, remainingMs } : undefined;
  }

  pause(ms: number, reason: string): void {
    const until = Date.now() + ms;
    if (until <= this.#until) return;
    this.#until = until;
    this.#reason = reason;
  }

  /** Waits for the end of the pause, or until the signal is aborted. */
  async ready(signal: AbortSignal): Promise<void> {
    for (let pause = this.pausing; pause && !signal.aborted; pause = this.pausing) {
      await setTimeout(pause.remainingMs, undefined, { signal }).catch(() => {});
    }
  }
}
