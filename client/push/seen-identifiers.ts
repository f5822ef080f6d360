import { createHash } from "node:crypto";

/** One entry: three words of a hash, and the number of its row. */
const WORDS = 4;
const SMALLEST = 1 << 12;
/** A power of two. With 16 bytes an entry, the table takes at most 64 MiB. */
const LARGEST = 1 << 22;

/**
 * Remembers in which row each `externalId` came first: up to 3,145,728 of them, in at most 64 MiB (and half of that
 * again while it grows). Later ones are compared with these, and not remembered. An identifier is kept as 96 bits of
 * its SHA-256: the probability that a full table confuses two different ones is less than 10^-16.
 */
export class SeenIdentifiers {
  readonly #largest: number;
  #entries = new Uint32Array(SMALLEST * WORDS);
  #size = 0;
  #isFull = false;

  /** @param largest the most entries of the table, a power of two; three quarters of them are used */
  constructor(largest = LARGEST) {
    this.#largest = largest;
  }

  get size(): number {
    return this.#size;
  }

  /** Whether an identifier could not be remembered. */
  get isFull(): boolean {
    return this.#isFull;
  }

  /** The row in which the identifier came first; this one is remembered if there was none. */
  firstRowOf(identifier: string, row: number): number {
    const digest = createHash("sha256").update(identifier).digest();
    const entry = [digest.readUInt32LE(0), digest.readUInt32LE(4), digest.readUInt32LE(8), row] as const;
    const at = this.#placeOf(entry);
    const known = this.#entries[at + 3];
    if (known) return known;
    this.#remember(at, entry);
    return row;
  }

  #remember(at: number, entry: Entry): void {
    const places = this.#entries.length / WORDS;
    if (this.#size < places * 0.75) {
      this.#entries.set(entry, at);
      this.#size += 1;
    } else if (places < this.#largest) {
      this.#grow(places * 2);
      this.#remember(this.#placeOf(entry), entry);
    } else {
      this.#isFull = true;
    }
  }

  /** Where the identifier is, or would be. */
  #placeOf([first, second, third]: Entry): number {
    const entries = this.#entries;
    const places = entries.length / WORDS;
    for (let place = first & (places - 1); ; place = (place + 1) & (places - 1)) {
      const at = place * WORDS;
      const isFree = entries[at + 3] === 0;
      if (isFree || (entries[at] === first && entries[at + 1] === second && entries[at + 2] === third))
        return at;
    }
  }

  #grow(places: number): void {
    const smaller = this.#entries;
    this.#entries = new Uint32Array(places * WORDS);
    for (let at = 0; at < smaller.length; at += WORDS) {
      const [first = 0, second = 0, third = 0, row = 0] = smaller.subarray(at, at + WORDS);
      if (row !== 0)
        this.#entries.set([first, second, third, row], this.#placeOf([first, second, third, row]));
    }
  }
}

type Entry = readonly [number, number, number, number];
