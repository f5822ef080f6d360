import { createHash } from "node:crypto";
import { xoroshiro128plusFromState } from "pure-rand/generator/xoroshiro128plus";

/** Random choices that a seed determines. */
export class Random {
  readonly #seed: string;
  readonly #generator: ReturnType<typeof xoroshiro128plusFromState>;

  constructor(seed: string) {
    this.#seed = seed;
    const state = createHash("md5").update(seed).digest();
    this.#generator = xoroshiro128plusFromState([0, 4, 8, 12].map((offset) => state.readInt32LE(offset)));
  }

  /** Separate random choices for a part of the story: additional or omitted choices elsewhere do not change them. */
  fork(part: string): Random {
    return new Random(`${this.#seed}/${part}`);
  }

  /** At least 0 and less than 1. */
  real(): number {
    return (this.#generator.next() >>> 0) / 2 ** 32;
  }

  /** A whole number from `least` to `most`, both included. */
  integer(least: number, most: number): number {
    return least + Math.floor(this.real() * (most - least + 1));
  }

  /** True with the probability `share`. */
  chance(share: number): boolean {
    return this.real() < share;
  }

  pick<Item>(items: readonly Item[]): Item {
    return items[this.integer(0, items.length - 1)] as Item;
  }

  /** One of the names. The weights are relative probabilities. */
  weighted<Name extends string>(weights: Readonly<Record<Name, number>>): Name {
    const entries = Object.entries<number>(weights) as [Name, number][];
    let left = this.real() * entries.reduce((sum, [, weight]) => sum + weight, 0);
    for (const [name, weight] of entries) {
      left -= weight;
      if (left < 0) return name;
    }
    return (entries.at(-1) as [Name, number])[0];
  }

  bytes(size: number): Uint8Array {
    return new Uint8Array(size).map(() => this.#generator.next() & 0xff);
  }
}
