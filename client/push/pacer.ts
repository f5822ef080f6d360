import { wait } from "../src/wait.ts";

/** A service that takes longer than this is reported as the reason for a delay, in ms. */
const SLOW_MS = 5_000;

/** Pauses all calls while the service accepts none: no call starts before the pause is over. */
export class Pacer {
  /** By `performance.now()`, because the clock may be set meanwhile. */
  #until = 0;
  #reason = "";
  #failingSince: number | undefined;

  /** Why rows are delayed, if they are, and for how much longer no call starts, in ms. */
  get delay(): { readonly reason: string; readonly remainingMs: number } | undefined {
    const reason = this.#reason || (this.failingMs > SLOW_MS ? "waiting for the service" : "");
    return reason === "" ? undefined : { reason, remainingMs: this.#remainingMs };
  }

  /** For how long calls have been made without success, in ms. */
  get failingMs(): number {
    return this.#failingSince === undefined ? 0 : performance.now() - this.#failingSince;
  }

  /** To be called when a call starts. */
  started(): void {
    this.#failingSince ??= performance.now();
  }

  /** To be called when the service accepts a call. A pause that others requested continues. */
  succeeded(): void {
    this.#failingSince = undefined;
    if (this.#remainingMs === 0) this.#reason = "";
  }

  pause(ms: number, reason: string): void {
    // Timers end at whole milliseconds.
    const until = performance.now() + Math.floor(ms);
    if (until <= this.#until) return;
    this.#until = until;
    this.#reason = reason;
  }

  /** Waits for the end of the pause, or until the signal is aborted. */
  async ready(signal: AbortSignal): Promise<void> {
    while (this.#remainingMs > 0 && !signal.aborted) await wait(this.#remainingMs, signal).catch(() => {});
  }

  get #remainingMs(): number {
    return Math.max(0, this.#until - performance.now());
  }
}
