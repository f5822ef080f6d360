import { hash } from "node:crypto";

/** How many events a recovery remembers: 8 KB of its item, so that recording a page takes at most 10 write units. */
const REMEMBERED = 1_000;

/**
 * How many bytes of the SHA-256 of an event's id are kept. In the longest recovery, of sixty million events, the
 * probability of a collision is 3 in 10⁹ (6·10⁷ · 1,000 / 2⁶⁴).
 */
const BYTES = 8;

/** The events that a recovery found last: the feed may have an event twice, some pages apart. */
export class FoundEvents {
  readonly #hashes: ReadonlySet<string>;

  /** @param stored by an earlier page of the recovery; absent from the first */
  constructor(stored: Uint8Array = new Uint8Array()) {
    const bytes = Buffer.from(stored).toString("latin1");
    this.#hashes = new Set(
      Array.from({ length: bytes.length / BYTES }, (_, index) =>
        bytes.slice(index * BYTES, (index + 1) * BYTES),
      ),
    );
  }

  has(eventId: string): boolean {
    return this.#hashes.has(hashOf(eventId));
  }

  /** The value to store after these events were found too. */
  with(eventIds: readonly string[]): Uint8Array<ArrayBuffer> {
    const latest = [...this.#hashes, ...eventIds.map(hashOf)].slice(-REMEMBERED);
    // Not a Buffer: DynamoDB's client returns a Uint8Array, with which the stored value is compared.
    return new Uint8Array(Buffer.from(latest.join(""), "latin1"));
  }
}

function hashOf(eventId: string): string {
  return hash("sha256", eventId, "buffer").subarray(0, BYTES).toString("latin1");
}
