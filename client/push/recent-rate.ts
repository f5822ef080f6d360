/**
 * An average rate that weights each moment by the square of the time since the beginning. A slow start loses its
 * influence within a few times its own length, and a short pause changes the rate little. The rate is updated only when
 * the count changes, because batches end together and rarely.
 */
export class RecentRate {
  #seconds = 0;
  #count = 0;
  #weightedSeconds = 0;
  #weightedCount = 0;

  /**
   * @param count the count so far
   * @param seconds the time since the beginning
   * @returns the rate per second; NaN before the first change
   */
  at(count: number, seconds: number): number {
    if (count === this.#count) return this.#weightedCount / this.#weightedSeconds;
    const weight = this.#seconds === 0 ? 0 : (this.#seconds / seconds) ** 2;
    this.#weightedCount = this.#weightedCount * weight + count - this.#count;
    this.#weightedSeconds = this.#weightedSeconds * weight + seconds - this.#seconds;
    this.#count = count;
    this.#seconds = seconds;
    return this.#weightedCount / this.#weightedSeconds;
  }
}
