import { createHash } from "node:crypto";
import { setTimeout as delay } from "node:timers/promises";
import type { Shard } from "@aws-sdk/client-dynamodb-streams";
import { SendMessageCommand } from "@aws-sdk/client-sqs";
import type { LocalFunction } from "../lambda/local-function.ts";
import { INVOCATION_BYTES } from "../lambda/quotas.ts";
import { CommandError } from "../machine/command-error.ts";
import { queueUrlOf } from "../template.ts";
import type { StreamSource } from "./definition.ts";
import { failedBatchMessage } from "./failed-batch.ts";
import type { EventSourcePoller } from "./poller.ts";
import type { EventSourceServices } from "./services.ts";
import { batchesOf, type DiscardedRecords, deliverBatch } from "./stream-delivery.ts";
import { type StreamRecord, toStreamRecord } from "./stream-record.ts";
import { TableStream } from "./table-stream.ts";

/**
 * The pause between reads of a stream without new records, in ms, unless a function may have written some: Lambda's
 * (below).
 */
const IDLE_MS = 250;
/**
 * The least time from the beginning of one read to the next, in ms, so that several writes share one read and one
 * batch. While the processors are busy and there are many records, it is Lambda's, four times a second ("Using
 * AWS Lambda with Amazon DynamoDB", polling and batching streams): larger batches take less time for each record.
 */
const PACE_MS = 30;
const PACE_WHEN_BUSY_MS = 250;
/** With fewer in a batch there is little to gain from larger ones. */
const MANY = 5;
/** A read that returns fewer records has read them all, except for large records. */
const BACKLOG = 100;
/** The pause between lookups of the stream's shards, in ms. */
const DISCOVERY_MS = 1_000;
/** The pause before a retry, in ms. It doubles each time, like Lambda's backoff, but is short for developers. */
const FIRST_RETRY_MS = 100;
const LAST_RETRY_MS = 10_000;
/** Reserves space for `{"Records":[]}` around the records. */
const PAYLOAD_BYTES = INVOCATION_BYTES - 1024;

interface FollowedShard {
  readonly stream: TableStream;
  readonly checkpointId: string;
  readonly shardId: string;
}

/** Reads a table's stream and invokes a function with its records, each shard in order, from the last position. */
export class StreamPoller implements EventSourcePoller {
  readonly #source: StreamSource;
  readonly #target: Pick<LocalFunction, "definition" | "invoke">;
  readonly #services: EventSourceServices;
  readonly #stopping = new AbortController();
  readonly #following = new Map<string, Promise<void>>();
  readonly #running: Promise<void>;
  /** Ends the pause of each shard without new records. */
  readonly #resting = new Set<() => void>();
  /**
   * When each record was first read, by its sequence number, until it is done, in ms of the monotonic clock. Their age
   * counts from there, not from their creation: nothing reads them while the stack is stopped or the machine sleeps.
   */
  readonly #firstRead = new Map<string, number>();
  /** How often the poller was woken: a read that began before may not have the records. */
  #wakes = 0;

  /** Starts at once. */
  constructor(
    source: StreamSource,
    target: Pick<LocalFunction, "definition" | "invoke">,
    services: EventSourceServices,
  ) {
    this.#source = source;
    this.#target = target;
    this.#services = services;
    this.#running = this.#run();
  }

  async stop(): Promise<void> {
    this.#stopping.abort();
    this.wake();
    await this.#running;
  }

  wake(): void {
    this.#wakes += 1;
    for (const end of this.#resting) end();
  }

  async #run(): Promise<void> {
    while (!this.#stopped()) {
      await this.#orReport(async () => {
        const stream = await this.#stream();
        const shards = await stream.shards();
        const checkpointId = `${this.#source.id} ${stream.arn}`;
        if (!this.#services.checkpoints.knows(checkpointId)) {
          await this.#begin(stream, checkpointId, shards);
        }
        for (const { ShardId: shardId = "" } of this.#due(checkpointId, shards)) {
          const following = this.#orReport(() => this.#follow({ stream, checkpointId, shardId }));
          this.#following.set(
            shardId,
            following.finally(() => this.#following.delete(shardId)),
          );
        }
      });
      await this.#sleep(DISCOVERY_MS);
    }
    await Promise.all(this.#following.values());
  }

  async #stream(): Promise<TableStream> {
    const { id, tableName } = this.#source;
    const stream = await TableStream.of(this.#services.streams, tableName);
    if (stream) return stream;
    throw new CommandError(
      `${id} reads the stream of ${tableName}, which has none. Add a stream to the table.`,
    );
  }

  /** Sets the start position of a new source. LATEST is resolved at once, so that a restart loses nothing. */
  async #begin(stream: TableStream, checkpointId: string, shards: readonly Shard[]): Promise<void> {
    for (const { ShardId: shardId = "" } of shards) {
      const last = this.#source.startingPosition === "LATEST" ? await stream.lastOf(shardId) : undefined;
      this.#services.checkpoints.save(
        checkpointId,
        shardId,
        last === undefined ? { kind: "beginning" } : { kind: "after", sequenceNumber: last },
      );
    }
  }

  /** The shards to start: those not fully read, not being read, and without unfinished parents. */
  #due(checkpointId: string, shards: readonly Shard[]): Shard[] {
    const present = new Set(shards.map(({ ShardId }) => ShardId));
    const finished = (shardId: string) =>
      this.#services.checkpoints.position(checkpointId, shardId).kind === "end";
    return shards.filter(
      ({ ShardId = "", ParentShardId }) =>
        !this.#following.has(ShardId) &&
        !finished(ShardId) &&
        (ParentShardId === undefined || !present.has(ParentShardId) || finished(ParentShardId)),
    );
  }

  async #follow(shard: FollowedShard): Promise<void> {
    const { stream, checkpointId, shardId } = shard;
    const { batchSize, batchingWindowSeconds, filter } = this.#source;
    const { checkpoints, onStreamRecord } = this.#services;
    let iterator = await stream.iteratorAt(shardId, checkpoints.position(checkpointId, shardId));
    let waiting: StreamRecord[] = [];
    let windowEnds = 0;
    let isRead = false;
    while (!this.#stopped()) {
      const wakes = this.#wakes;
      const readAt = performance.now();
      if (iterator !== undefined) {
        const page = await stream.recordsAt(iterator);
        // The next lookup of shards follows this one again, from its position.
        if (!page) return;
        iterator = page.iterator;
        const records = page.records.map((record) => toStreamRecord(record, this.#source.streamArn));
        for (const record of records) onStreamRecord?.(record);
        this.#countAges(records.filter(filter));
        if (waiting.length === 0 && records.length > 0)
          windowEnds = Date.now() + batchingWindowSeconds * 1000;
        waiting = [...waiting, ...records];
        isRead = records.length < BACKLOG;
      }
      const wanted = waiting.filter(filter).length;
      if (waiting.length > 0 && (wanted >= batchSize || Date.now() >= windowEnds || iterator === undefined)) {
        if (!(await this.#deliver(shard, waiting))) return;
        waiting = [];
      }
      if (iterator === undefined) {
        checkpoints.save(checkpointId, shardId, { kind: "end" });
        return;
      }
      if (!isRead) continue;
      if (wakes === this.#wakes) await this.#rest();
      const pace = wanted >= MANY && this.#services.processors.areBusy() ? PACE_WHEN_BUSY_MS : PACE_MS;
      await this.#sleep(Math.max(0, readAt + pace - performance.now()));
    }
  }

  /** Delivers records and saves the position. Returns false if it is stopped before that. */
  async #deliver(shard: FollowedShard, records: readonly StreamRecord[]): Promise<boolean> {
    const { checkpointId, shardId } = shard;
    const done = (upTo: StreamRecord) =>
      this.#services.checkpoints.save(checkpointId, shardId, {
        kind: "after",
        sequenceNumber: upTo.dynamodb.SequenceNumber,
      });
    const lanes = lanesOf(records.filter(this.#source.filter), this.#source.parallelizationFactor);
    const outcomes = await Promise.all(
      lanes.map(async (lane) => {
        for (const batch of batchesOf(lane, this.#source.batchSize, PAYLOAD_BYTES)) {
          const delivered = await deliverBatch(batch, {
            source: this.#source,
            invoke: (payload) => this.#target.invoke(payload),
            discard: (discarded) => this.#discard(shard, discarded),
            pause: (attempt) => this.#sleep(Math.min(FIRST_RETRY_MS * 2 ** (attempt - 1), LAST_RETRY_MS)),
            ageOf: (record) => this.#ageOf(record),
          });
          if (!delivered) return false;
          for (const { dynamodb } of batch) this.#firstRead.delete(dynamodb.SequenceNumber);
          // With several lanes, earlier records may still be in progress, so only a single lane can checkpoint here.
          const last = batch.at(-1);
          if (lanes.length === 1 && last) done(last);
        }
        return true;
      }),
    );
    if (outcomes.includes(false)) return false;
    const last = records.at(-1);
    if (last) done(last);
    return true;
  }

  /** Records that are read again, as after a fault, keep their age. */
  #countAges(records: readonly StreamRecord[]): void {
    const now = performance.now();
    for (const { dynamodb } of records) {
      const first = this.#firstRead.get(dynamodb.SequenceNumber) ?? now;
      this.#firstRead.set(dynamodb.SequenceNumber, first);
    }
  }

  /** In seconds. */
  #ageOf({ dynamodb }: StreamRecord): number {
    const now = performance.now();
    return (now - (this.#firstRead.get(dynamodb.SequenceNumber) ?? now)) / 1000;
  }

  /** Sends the metadata about discarded records to the source's queue, if it has one, as Lambda does. */
  async #discard({ stream, shardId }: FollowedShard, discarded: DiscardedRecords): Promise<void> {
    const { onFailure } = this.#source;
    if (onFailure === undefined) return;
    const functionArn = this.#target.definition.arn;
    const message = failedBatchMessage({ ...discarded, streamArn: stream.arn, functionArn, shardId });
    await this.#services.sqs.send(
      new SendMessageCommand({
        QueueUrl: queueUrlOf(this.#services.queuesEndpoint, onFailure),
        MessageBody: JSON.stringify(message),
      }),
    );
  }

  async #rest(): Promise<void> {
    const { promise, resolve } = Promise.withResolvers<void>();
    const timer = setTimeout(resolve, IDLE_MS);
    this.#resting.add(resolve);
    await promise;
    clearTimeout(timer);
    this.#resting.delete(resolve);
  }

  async #orReport(work: () => Promise<void>): Promise<void> {
    try {
      await work();
    } catch (error) {
      if (!this.#stopped()) this.#services.onFault(error);
    }
  }

  #stopped(): boolean {
    return this.#stopping.signal.aborted;
  }

  /** Waits. Returns false if the poller is stopped in the meantime. */
  async #sleep(ms: number): Promise<boolean> {
    await delay(ms, undefined, { signal: this.#stopping.signal }).catch(() => {});
    return !this.#stopped();
  }
}

/** Records of the same item stay in one lane, and so in order. */
function lanesOf(records: readonly StreamRecord[], lanes: number): StreamRecord[][] {
  if (lanes === 1) return [[...records]];
  const byLane = Map.groupBy(records, ({ dynamodb }) => {
    const hash = createHash("sha256").update(JSON.stringify(dynamodb.Keys)).digest();
    return hash.readUInt32BE() % lanes;
  });
  return [...byLane.values()];
}
