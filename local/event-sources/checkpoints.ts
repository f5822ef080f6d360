import type { DatabaseSync, StatementSync } from "node:sqlite";
import * as z from "zod";
import { explaining, openDatabase } from "../machine/database-file.ts";
import { readKept, valueIn } from "../machine/kept-file.ts";

/** The position in a shard: nothing read yet, read up to a sequence number, or read to the end. */
const Position = z.union([
  z.object({ kind: z.literal("beginning") }),
  z.object({ kind: z.literal("after"), sequenceNumber: z.string().regex(/^\d+$/) }),
  z.object({ kind: z.literal("end") }),
]);
export type Position = z.infer<typeof Position>;

/** The kinds of positions, from the beginning of a shard to its end. */
const ORDER: readonly Position["kind"][] = ["beginning", "after", "end"];

/** The content of the file that had the positions until 2026-11-30: by event source and shard. */
const FormerFile = z.record(z.string(), z.record(z.string(), Position));

/**
 * The position of each event source in each shard of its stream, stored in a SQLite file for restarts. As for messages,
 * a write does not wait for the disk: after a power failure, records may be delivered again, as Lambda may do.
 */
export class Checkpoints {
  readonly #onFault: (error: unknown) => void;
  readonly #database: DatabaseSync;
  readonly #positions = new Map<string, Map<string, Position>>();
  readonly #save: StatementSync;

  /** @throws CommandError if the file is damaged or locked */
  constructor(file: string, onFault: (error: unknown) => void) {
    this.#onFault = onFault;
    this.#database = openDatabase(
      file,
      `
      PRAGMA journal_mode = WAL;
      PRAGMA synchronous = NORMAL;
      CREATE TABLE IF NOT EXISTS positions (
        source TEXT, shard TEXT, position TEXT NOT NULL, PRIMARY KEY (source, shard)
      ) STRICT;
      `,
    );
    this.#save = explaining(file, () => {
      for (const { source, shard, position } of this.#database.prepare("SELECT * FROM positions").all())
        this.#keep(String(source), String(shard), valueIn(file, String(position), Position));
      return this.#database.prepare("INSERT OR REPLACE INTO positions VALUES (?, ?, ?)");
    });
  }

  /**
   * Takes over the positions in the former file that are further than those here: an earlier version may have used the
   * folder before, or since. Without them, records that it has passed on would be delivered again: their events would
   * be in the feed twice, and sent to all endpoints that exist now.
   *
   * @throws CommandError if the file is damaged
   */
  takeOver(formerFile: string): void {
    const former = readKept(formerFile, FormerFile) ?? {};
    for (const [source, shards] of Object.entries(former)) {
      for (const [shard, position] of Object.entries(shards)) {
        if (isFurther(position, this.position(source, shard))) this.save(source, shard, position);
      }
    }
  }

  /** Whether a source has read a stream before. */
  knows(source: string): boolean {
    return this.#positions.has(source);
  }

  position(source: string, shardId: string): Position {
    return this.#positions.get(source)?.get(shardId) ?? { kind: "beginning" };
  }

  /**
   * Records the position in a shard. Earlier records are not delivered again, except after a restart if the position
   * cannot be written.
   */
  save(source: string, shardId: string, position: Position): void {
    this.#keep(source, shardId, position);
    try {
      this.#save.run(source, shardId, JSON.stringify(position));
    } catch (error) {
      this.#onFault(error);
    }
  }

  close(): void {
    this.#database.close();
  }

  #keep(source: string, shardId: string, position: Position): void {
    const shards = this.#positions.get(source) ?? new Map<string, Position>();
    this.#positions.set(source, shards.set(shardId, position));
  }
}

function isFurther(position: Position, other: Position): boolean {
  if (position.kind === "after" && other.kind === "after")
    return BigInt(position.sequenceNumber) > BigInt(other.sequenceNumber);
  return ORDER.indexOf(position.kind) > ORDER.indexOf(other.kind);
}
