import * as z from "zod";
import { readKept, writePrivately } from "../machine/kept-file.ts";

/** The position in a shard: nothing read yet, read up to a sequence number, or read to the end. */
const Position = z.union([
  z.object({ kind: z.literal("beginning") }),
  z.object({ kind: z.literal("after"), sequenceNumber: z.string() }),
  z.object({ kind: z.literal("end") }),
]);
export type Position = z.infer<typeof Position>;

const Kept = z.record(z.string(), z.record(z.string(), Position));

/**
 * How long a position may wait until it is written to the file, in ms. Replacing a file waits for the disk, some 6 ms:
 * twice a second this takes 1 % of a busy stack's time. Writing every position would take most of it.
 */
const WRITTEN_AFTER_MS = 500;

/**
 * The position of each event source in each shard of its stream, stored in a file for restarts. If the process is
 * killed, the records of the last half second are delivered again, as Lambda may do.
 */
export class Checkpoints {
  readonly #file: string;
  readonly #onFault: (error: unknown) => void;
  readonly #positions: Map<string, Map<string, Position>>;
  #writing: NodeJS.Timeout | undefined;

  /** @throws CommandError if the file is damaged */
  constructor(file: string, onFault: (error: unknown) => void) {
    this.#file = file;
    this.#onFault = onFault;
    const kept = readKept(file, Kept) ?? {};
    this.#positions = new Map(
      Object.entries(kept).map(([source, shards]) => [source, new Map(Object.entries(shards))]),
    );
  }

  /** Whether a source has read a stream before. */
  knows(source: string): boolean {
    return this.#positions.has(source);
  }

  position(source: string, shardId: string): Position {
    return this.#positions.get(source)?.get(shardId) ?? { kind: "beginning" };
  }

  /** Records the position in a shard. Earlier records are not delivered again. */
  save(source: string, shardId: string, position: Position): void {
    const shards = this.#positions.get(source) ?? new Map<string, Position>();
    this.#positions.set(source, shards.set(shardId, position));
    this.#writing ??= setTimeout(() => this.flush(), WRITTEN_AFTER_MS);
  }

  /** Writes the file now, unless it has everything. If it cannot be written, it is written with later positions. */
  flush(): void {
    if (!this.#writing) return;
    clearTimeout(this.#writing);
    this.#writing = undefined;
    const kept = [...this.#positions].map(([id, byShard]) => [id, Object.fromEntries(byShard)]);
    try {
      writePrivately(this.#file, JSON.stringify(Object.fromEntries(kept)));
    } catch (error) {
      this.#onFault(error);
    }
  }
}
