import type { Row } from "./row.ts";

/** The bounds of a batch. They may become narrower while rows are read. */
export interface BatchLimits {
  /** The most rows. */
  rows: number;
  /** The most bytes of JSON, of the rows and the commas between them. */
  readonly bytes: number;
}

/** Groups rows in their order. A row that is larger than a batch is alone in one. */
export async function* batchesOf(rows: AsyncIterable<Row>, limits: BatchLimits): AsyncGenerator<Row[]> {
  let batch: Row[] = [];
  let bytes = 0;
  for await (const row of rows) {
    const size = Buffer.byteLength(JSON.stringify(row.value)) + 1;
    if (batch.length > 0 && bytes + size > limits.bytes) {
      yield batch;
      batch = [];
      bytes = 0;
    }
    batch.push(row);
    bytes += size;
    if (batch.length >= limits.rows) {
      yield batch;
      batch = [];
      bytes = 0;
    }
  }
  if (batch.length > 0) yield batch;
}
