import {
  ExpiredIteratorException,
  type GetRecordsCommandInput,
  type GetShardIteratorCommandInput,
  ResourceNotFoundException,
  TrimmedDataAccessException,
} from "@aws-sdk/client-dynamodb-streams";
import { DAY, MINUTE } from "#runtime/durations";
import type { SimulatedTable } from "../dynamodb/simulated-table.ts";
import type { Shard } from "../dynamodb/table-stream.ts";

/** A page has at most 1,000 records and 1 MB (Amazon DynamoDB Streams API Reference, GetRecords). */
const PAGE_RECORDS = 1_000;
const PAGE_BYTES = 1024 * 1024;
/** The stream keeps its records for 24 hours (Amazon DynamoDB Developer Guide, "Change data capture"). */
const KEPT_MS = DAY;
/** An iterator is good for 15 minutes (Amazon DynamoDB Streams API Reference, GetShardIterator). */
const ITERATOR_MS = 15 * MINUTE;

const $metadata = { httpStatusCode: 400 };

/** DynamoDB Streams over a simulated table, as far as the service uses it. */
export class SimulatedStreams {
  readonly #table: Pick<SimulatedTable, "shards">;
  readonly #now: () => number;

  /** @param now the simulation's clock, in ms since 1970 */
  constructor(table: Pick<SimulatedTable, "shards">, now: () => number) {
    this.#table = table;
    this.#now = now;
  }

  /** @throws the SDK's exceptions */
  handle(action: string, input: object): object {
    switch (action) {
      case "GetShardIterator":
        return this.#getShardIterator(input as GetShardIteratorCommandInput);
      case "GetRecords":
        return this.#getRecords(input as GetRecordsCommandInput);
      default:
        throw new Error(`The action ${action} of DynamoDB Streams is not simulated.`);
    }
  }

  #getShardIterator({ ShardId = "", ShardIteratorType, SequenceNumber = "" }: GetShardIteratorCommandInput) {
    const shard = this.#shard(ShardId);
    const horizon = this.#horizonOf(shard);
    switch (ShardIteratorType) {
      case "TRIM_HORIZON":
        return { ShardIterator: this.#iterator(shard, horizon) };
      case "AT_SEQUENCE_NUMBER": {
        const position = firstPosition(shard, (record) => sequenceNumberOf(record) >= BigInt(SequenceNumber));
        if (position < horizon) throw trimmed();
        return { ShardIterator: this.#iterator(shard, position) };
      }
      default:
        throw new Error(`The iterator type ${ShardIteratorType} is not simulated.`);
    }
  }

  #getRecords({ ShardIterator = "", Limit = PAGE_RECORDS }: GetRecordsCommandInput) {
    const [shardId = "", position = "", issuedAt = ""] = ShardIterator.split(" ");
    if (this.#now() - Number(issuedAt) > ITERATOR_MS) {
      throw new ExpiredIteratorException({ message: "The shard iterator has expired.", $metadata });
    }
    const shard = this.#shard(shardId);
    const start = Number(position);
    if (start < this.#horizonOf(shard)) throw trimmed();
    const Records = pageOf(shard.read(start, Limit));
    return { Records, NextShardIterator: this.#iterator(shard, start + Records.length) };
  }

  #shard(shardId: string): Shard {
    const shard = this.#table.shards.find((each) => each.shardId === shardId);
    if (!shard) throw new ResourceNotFoundException({ message: "There is no such shard.", $metadata });
    return shard;
  }

  #iterator({ shardId }: Shard, position: number): string {
    return `${shardId} ${position} ${this.#now()}`;
  }

  /** The position of the oldest record that the stream has not trimmed. */
  #horizonOf(shard: Shard): number {
    const oldest = this.#now() - KEPT_MS;
    return firstPosition(shard, ({ dynamodb }) => {
      return (dynamodb?.ApproximateCreationDateTime?.getTime() ?? 0) >= oldest;
    });
  }
}

type StreamRecord = ReturnType<Shard["read"]>[number];

/** The first position whose record passes, where all after one that passes do too; else the end of the shard. */
function firstPosition(shard: Shard, passes: (record: StreamRecord) => boolean): number {
  let low = 0;
  let high = shard.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    const [record] = shard.shared(middle, 1);
    if (record && passes(record)) high = middle;
    else low = middle + 1;
  }
  return low;
}

function sequenceNumberOf({ dynamodb }: StreamRecord): bigint {
  return BigInt(dynamodb?.SequenceNumber ?? 0);
}

function pageOf(records: StreamRecord[]): StreamRecord[] {
  let bytes = 0;
  const end = records.findIndex(({ dynamodb }) => {
    bytes += dynamodb?.SizeBytes ?? 0;
    return bytes > PAGE_BYTES;
  });
  return end === -1 ? records : records.slice(0, Math.max(1, end));
}

function trimmed(): TrimmedDataAccessException {
  return new TrimmedDataAccessException({ message: "The stream has trimmed these records.", $metadata });
}
