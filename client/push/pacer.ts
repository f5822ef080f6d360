import { wait } from "../src/wait.ts";

/** A service that takes longer than this is reported as the reason for a delay, in ms. */
const SLOW_MS = 5_000;

/**
 * The most that counts as failing between two looks at the time, in ms: a little more than a call that hangs. After a
 * longer gap, the computer slept or the process was stopped, which says nothing about the service.
 */
const LONGEST_GAP_MS = 35_000;

/** Pauses all calls while the service accepts none: no call starts before the pause is over. */
export class Pacer {
  /** By `performance.now()`, because the clock may be set meanwhile. */
  #until = 0;
  #reason = "";
  #failingMs = 0;
  /** When `#failingMs` was last added to; undefined if no call fails. */
  #countedAt: number | undefined;

  /** Why rows are delayed, if they are, and for how much longer no call starts, in ms. */
  get delay(): { readonly reason: string; readonly remainingMs: number } | undefined {
    const reason = this.#reason || (this.measureFailing() > SLOW_MS ? "waiting for the service" : "");
    return reason === "" ? undefined : { reason, remainingMs: this.#remainingMs };
  }

  /** Measures for how long calls have been made without success, in ms. Of a gap, {@link LONGEST_GAP_MS} count. */
  measureFailing(): number {
    if (this.#countedAt === undefined) return 0;
    const now = performance.now();
    this.#failingMs += Math.min(now - this.#countedAt, LONGEST_GAP_MS);
    this.#countedAt = now;
    return this.#failingMs;
  }

  /** To be called when a call starts. */
  started(): void {
    this.#countedAt ??= performance.now();
  }

  /** To be called when the service accepts a call. A pause that others requested continues. */
  succeeded(): void {
    this.#failingMs = 0;
    this.#countedAt = undefined;
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
