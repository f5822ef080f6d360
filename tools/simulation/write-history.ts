import { unmarshall } from "@aws-sdk/util-dynamodb";
import type { SimulatedTable } from "./dynamodb/simulated-table.ts";

/** A write to the table, as its stream shows it. */
export interface TableWrite {
  readonly at: number;
  readonly pk: string;
  readonly sk: string;
  /** The item after the write; absent if it was removed. */
  readonly item: Readonly<Record<string, unknown>> | undefined;
}

/** How long before a waiting delivery is due it may be released, in ms. */
const RELEASED_EARLY_MS = 3 * 60_000;
/** The writes to the table, and what follows from them about deliveries that wait there. */
export class WriteHistory {
  readonly writes: TableWrite[] = [];
  readonly #table: SimulatedTable;
  readonly #now: () => number;
  /** How many records of each shard of the stream have been read. */
  readonly #positions: number[];
  /** When the deliveries that wait in the table are due, by their keys. */
  readonly #waiting = new Map<string, number>();

  constructor(table: SimulatedTable, now: () => number) {
    this.#table = table;
    this.#now = now;
    this.#positions = table.shards.map(() => 0);
  }

  /**
   * Adds what was written since the last call.
   *
   * @returns whether anything was
   */
  follow(): boolean {
    let isWritten = false;
    for (const [index, shard] of this.#table.shards.entries()) {
      const position = this.#positions[index] ?? 0;
      if (shard.length === position) continue;
      isWritten = true;
      for (const { dynamodb } of shard.shared(position)) {
        const { pk, sk } = unmarshall(dynamodb?.Keys ?? {});
        const item = dynamodb?.NewImage && unmarshall(dynamodb.NewImage);
        this.writes.push({ at: this.#now(), pk, sk, item });
        if (pk.startsWith("WAITING#")) this.#noteWaiting(sk, item !== undefined);
      }
      this.#positions[index] = shard.length;
    }
    return isWritten;
  }

  /** When the next delivery that waits may be released; undefined if none waits. */
  get earliestRelease(): number | undefined {
    return this.#waiting.size === 0 ? undefined : Math.min(...this.#waiting.values()) - RELEASED_EARLY_MS;
  }

  #noteWaiting(sk: string, waits: boolean): void {
    if (waits) this.#waiting.set(sk, Date.parse(sk.split("#")[0] ?? ""));
    else this.#waiting.delete(sk);
  }
}
