import type { StreamSource } from "../../../local/event-sources/definition.ts";
import {
  batchesOf,
  type DiscardedRecords,
  deliverBatch,
} from "../../../local/event-sources/stream-delivery.ts";
import { type StreamRecord, toStreamRecord } from "../../../local/event-sources/stream-record.ts";
import type { Shard } from "../dynamodb/table-stream.ts";
import type { Random } from "../random.ts";
import type { VirtualClock } from "../virtual-clock.ts";
import type { SimulatedFunction } from "./simulated-function.ts";
import { withUnknownEvent } from "./unknown-events.ts";

interface Dependencies {
  readonly clock: VirtualClock;
  readonly random: Random;
  /** Sends a message to the queue with this ARN. */
  send(queueArn: string, body: string): void;
  /** Whether a batch that was done is handed over once more. */
  repeats(): boolean;
  /** Whether a record has an event that the code does not know, as while a newer version is rolled back. */
  hasUnknownEvent(record: StreamRecord): boolean;
}

/** The payload of an invocation, in bytes (AWS Lambda quotas: 6 MB). */
const PAYLOAD_BYTES = 6_000_000;
/** Lambda polls a shard some four times a second (AWS Lambda developer guide, "Using AWS Lambda with DynamoDB"). */
const POLL_MS = 250;
const FIRST_RETRY_MS = 500;
const LONGEST_RETRY_MS = 60_000;

/** Hands the records of a table's stream to a function, each shard in order. */
export class SimulatedStreamSource {
  readonly #source: StreamSource;
  readonly #target: SimulatedFunction;
  readonly #dependencies: Dependencies;
  readonly #followers: Follower[];

  constructor(
    source: StreamSource,
    target: SimulatedFunction,
    shards: readonly Shard[],
    dependencies: Dependencies,
  ) {
    this.#source = source;
    this.#target = target;
    this.#dependencies = dependencies;
    this.#followers = shards.map((shard) => ({ shard, position: 0, isBusy: false }));
  }

  /** Records that have not been handed over, or not successfully. */
  get isBehind(): boolean {
    return this.#followers.some(({ shard, position }) => position < shard.length);
  }

  /** To be called when the table has been written to. */
  look(): void {
    for (const follower of this.#followers) {
      if (follower.isBusy || follower.position >= follower.shard.length) continue;
      follower.isBusy = true;
      const { clock, random } = this.#dependencies;
      clock.after(random.integer(0, POLL_MS), () => void this.#follow(follower));
    }
  }

  async #follow(follower: Follower): Promise<void> {
    const { shard } = follower;
    const end = shard.length;
    const records = shard
      .shared(follower.position, end - follower.position)
      .map((record) => plainRecord(record, this.#source.streamArn))
      .filter(this.#source.filter)
      .map((record) => (this.#dependencies.hasUnknownEvent(record) ? withUnknownEvent(record) : record));
    for (const batch of batchesOf(records, this.#source.batchSize, PAYLOAD_BYTES)) {
      await this.#deliver(shard, batch);
      if (this.#dependencies.repeats()) await this.#deliver(shard, batch);
    }
    follower.position = end;
    follower.isBusy = false;
    this.look();
  }

  async #deliver(shard: Shard, batch: readonly StreamRecord[]): Promise<void> {
    const { clock } = this.#dependencies;
    await deliverBatch(batch, {
      source: this.#source,
      invoke: async (payload) => this.#target.invoke(JSON.parse(payload)),
      discard: async (discarded) => this.#discard(shard, discarded),
      pause: async (attempt) => {
        await clock.delay(Math.min(FIRST_RETRY_MS * 2 ** (attempt - 1), LONGEST_RETRY_MS));
        return true;
      },
      ageOf: ({ dynamodb }) => clock.now() / 1000 - dynamodb.ApproximateCreationDateTime,
    });
  }

  #discard(shard: Shard, { records, condition, invocations }: DiscardedRecords): void {
    const { onFailure, streamArn } = this.#source;
    if (onFailure === undefined) return;
    const message = {
      requestContext: {
        functionArn: this.#target.definition.arn,
        condition,
        approximateInvokeCount: invocations,
      },
      version: "1.0",
      DDBStreamBatchInfo: {
        shardId: shard.shardId,
        startSequenceNumber: records.at(0)?.dynamodb.SequenceNumber,
        endSequenceNumber: records.at(-1)?.dynamodb.SequenceNumber,
        batchSize: records.length,
        streamArn,
      },
    };
    this.#dependencies.send(onFailure, JSON.stringify(message));
  }
}

/** Records as their functions get them: all sources of a stream read the same, and each invocation a copy. */
const plainRecords = new WeakMap<object, StreamRecord>();

function plainRecord(record: ReturnType<Shard["shared"]>[number], streamArn: string): StreamRecord {
  const known = plainRecords.get(record);
  if (known) return known;
  const plain = toStreamRecord(record, streamArn);
  plainRecords.set(record, plain);
  return plain;
}

interface Follower {
  readonly shard: Shard;
  position: number;
  isBusy: boolean;
}
