import type { ThrottleDefinition } from "./definition.ts";

/** A token bucket: refilled at a steady rate up to the burst, one token per request. */
export class Throttle {
  readonly #definition: ThrottleDefinition;
  readonly #now: () => number;
  #tokens: number;
  #filledAt: number;

  /** @param now the time in ms */
  constructor(definition: ThrottleDefinition, now: () => number = () => performance.now()) {
    this.#definition = definition;
    this.#now = now;
    this.#tokens = definition.burst;
    this.#filledAt = now();
  }

  /** Takes a token. Returns false if there is none, so the request must be refused. */
  take(): boolean {
    const now = this.#now();
    const { ratePerSecond, burst } = this.#definition;
    this.#tokens = Math.min(burst, this.#tokens + ((now - this.#filledAt) / 1000) * ratePerSecond);
    this.#filledAt = now;
    if (this.#tokens < 1) return false;
    this.#tokens -= 1;
    return true;
  }
}
