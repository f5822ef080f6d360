/**
 * The average rate of something that is counted, in which each moment weighs as much as the square of the time since
 * the beginning: a slow start is forgotten within a few times its length, and a short pause changes little, however
 * long either is. It is measured from one change to the next, because batches end together and rarely.
 */
export class RecentRate {
  #seconds = 0;
  #count = 0;
  #weightedSeconds = 0;
  #weightedCount = 0;

  /**
   * @param count how many so far
   * @param seconds the time since the beginning
   * @returns how many in a second; NaN before the first
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
