/**
 * The average rate of something that is counted, in which each moment weighs as much as the square of the time since
 * the beginning: a slow start is forgotten within a few times its length, and a short pause changes little, however
 * long either is.
 */
export class RecentRate {
  #seconds = 0;
  #count = 0;
  #weightedSeconds = 0;
  #weightedCount = 0;

  /**
   * @param count how many so far
   * @param seconds the time since the beginning
   * @returns how many in a second; NaN at the beginning
   */
  at(count: number, seconds: number): number {
    const weight = this.#seconds === 0 ? 0 : (this.#seconds / seconds) ** 2;
    this.#weightedCount = this.#weightedCount * weight + count - this.#count;
    this.#weightedSeconds = this.#weightedSeconds * weight + seconds - this.#seconds;
    this.#count = count;
    this.#seconds = seconds;
    return this.#weightedCount / this.#weightedSeconds;
  }
}
