import * as z from "zod";
import { readIfPresent, writePrivately } from "../data-directory.ts";

/** The position in a shard: nothing read yet, read up to a sequence number, or read to the end. */
const Position = z.union([
  z.object({ kind: z.literal("beginning") }),
  z.object({ kind: z.literal("after"), sequenceNumber: z.string() }),
  z.object({ kind: z.literal("end") }),
]);
export type Position = z.infer<typeof Position>;

const Kept = z.record(z.string(), z.record(z.string(), Position));

/** The position of each event source in each shard of its stream, stored in a file for restarts. */
export class Checkpoints {
  readonly #file: string;
  readonly #positions: Map<string, Map<string, Position>>;

  constructor(file: string) {
    this.#file = file;
    const kept = Kept.parse(JSON.parse(readIfPresent(file) ?? "{}"));
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

  /** Records the position in a shard. Earlier records are never delivered again. */
  save(source: string, shardId: string, position: Position): void {
    const shards = this.#positions.get(source) ?? new Map<string, Position>();
    this.#positions.set(source, shards.set(shardId, position));
    writePrivately(
      this.#file,
      JSON.stringify(
        Object.fromEntries([...this.#positions].map(([id, byShard]) => [id, Object.fromEntries(byShard)])),
      ),
    );
  }
}
