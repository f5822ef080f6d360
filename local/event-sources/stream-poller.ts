import { createHash, randomUUID } from "node:crypto";
import { setTimeout as delay } from "node:timers/promises";
import {
  DescribeStreamCommand,
  GetRecordsCommand,
  GetShardIteratorCommand,
  ListStreamsCommand,
  type Shard,
  TrimmedDataAccessException,
} from "@aws-sdk/client-dynamodb-streams";
import { SendMessageCommand } from "@aws-sdk/client-sqs";
import { INVOCATION_BYTES } from "../api-gateway/integration.ts";
import type { LocalFunction } from "../lambda/local-function.ts";
import { LocalStackProblem } from "../problem.ts";
import { ACCOUNT } from "../template.ts";
import type { StreamSource } from "./definition.ts";
import type { EventSourcePoller } from "./event-source.ts";
import type { EventSourceServices } from "./services.ts";
import { batchesOf, deliverBatch, type GivenUp } from "./stream-delivery.ts";
import { type StreamRecord, toStreamRecord } from "./stream-record.ts";

/** Between two looks at a stream that had nothing new, in ms. */
const IDLE_MS = 100;
/** Between two looks for new shards, in ms. */
const DISCOVERY_MS = 1_000;
/** Before a try that follows a failed one, in ms: doubled each time, as Lambda backs off, but for a developer. */
const FIRST_RETRY_MS = 100;
const LAST_RETRY_MS = 10_000;
/** DynamoDB Local rounds a record's time down to the minute. */
const CLOCK_GRAIN_SECONDS = 60;
/** Room for `{"Records":[]}` beside the records. */
const PAYLOAD_BYTES = INVOCATION_BYTES - 1024;

/** Reads the stream of a table and hands its records to a function, each shard in order, from where it left off. */
export function startStreamPoller(
  source: StreamSource,
  target: LocalFunction,
  services: EventSourceServices,
): EventSourcePoller {
  const poller = new StreamPoller(source, target, services);
  const running = poller.run();
  return {
    async stop() {
      poller.stop();
      await running;
    },
  };
}

class StreamPoller {
  readonly #source: StreamSource;
  readonly #target: LocalFunction;
  readonly #services: EventSourceServices;
  readonly #stopping = new AbortController();
  readonly #following = new Map<string, Promise<void>>();

  constructor(source: StreamSource, target: LocalFunction, services: EventSourceServices) {
    this.#source = source;
    this.#target = target;
    this.#services = services;
  }

  stop(): void {
    this.#stopping.abort();
  }

  async run(): Promise<void> {
    while (!this.#stopped()) {
      await this.#orReport(async () => {
        const streamArn = await this.#streamArn();
        const shards = await this.#shards(streamArn);
        const checkpointId = `${this.#source.id} ${streamArn}`;
        if (!this.#services.checkpoints.knows(checkpointId)) {
          await this.#begin(streamArn, checkpointId, shards);
        }
        for (const shard of this.#due(checkpointId, shards)) {
          const { ShardId: shardId = "" } = shard;
          const following = this.#orReport(() => this.#follow(streamArn, checkpointId, shardId));
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

  /** The newest stream of the table. */
  async #streamArn(): Promise<string> {
    const { Streams = [] } = await this.#services.streams.send(
      new ListStreamsCommand({ TableName: this.#source.tableName }),
    );
    const newest = Streams.sort((left, right) =>
      (left.StreamLabel ?? "").localeCompare(right.StreamLabel ?? ""),
    ).at(-1);
    if (!newest?.StreamArn) {
      throw new LocalStackProblem(
        `${this.#source.id} reads the stream of ${this.#source.tableName}, which has none: give the table one.`,
      );
    }
    return newest.StreamArn;
  }

  async #shards(streamArn: string): Promise<Shard[]> {
    const shards: Shard[] = [];
    let last: string | undefined;
    do {
      const { StreamDescription } = await this.#services.streams.send(
        new DescribeStreamCommand({
          StreamArn: streamArn,
          ...(last !== undefined && { ExclusiveStartShardId: last }),
        }),
      );
      shards.push(...(StreamDescription?.Shards ?? []));
      last = StreamDescription?.LastEvaluatedShardId;
    } while (last !== undefined);
    return shards;
  }

  /** Sets where a source that is new begins. LATEST is pinned at once, so that a restart loses nothing. */
  async #begin(streamArn: string, checkpointId: string, shards: readonly Shard[]): Promise<void> {
    for (const { ShardId: shardId = "" } of shards) {
      const last =
        this.#source.startingPosition === "LATEST" ? await this.#lastOf(streamArn, shardId) : undefined;
      this.#services.checkpoints.save(
        checkpointId,
        shardId,
        last === undefined ? { kind: "beginning" } : { kind: "after", sequenceNumber: last },
      );
    }
  }

  async #lastOf(StreamArn: string, ShardId: string): Promise<string | undefined> {
    let last: string | undefined;
    let { ShardIterator: iterator } = await this.#services.streams.send(
      new GetShardIteratorCommand({ StreamArn, ShardId, ShardIteratorType: "TRIM_HORIZON" }),
    );
    while (iterator !== undefined) {
      const page = await this.#services.streams.send(new GetRecordsCommand({ ShardIterator: iterator }));
      if (!page.Records?.length) return last;
      last = page.Records.at(-1)?.dynamodb?.SequenceNumber;
      iterator = page.NextShardIterator;
    }
    return last;
  }

  /** The shards to begin with: not read to the end, not being read, and none of whose parents is unfinished. */
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

  async #follow(streamArn: string, checkpointId: string, shardId: string): Promise<void> {
    const { batchSize, batchingWindowSeconds, filter } = this.#source;
    let iterator = await this.#iterator(streamArn, checkpointId, shardId);
    let waiting: StreamRecord[] = [];
    let windowEnds = 0;
    while (!this.#stopped()) {
      if (iterator !== undefined) {
        const page = await this.#services.streams.send(
          new GetRecordsCommand({ ShardIterator: iterator, Limit: 1000 }),
        );
        iterator = page.NextShardIterator;
        const records = (page.Records ?? []).map((record) => toStreamRecord(record, this.#source.streamArn));
        for (const record of records) this.#services.onStreamRecord?.(record);
        if (waiting.length === 0 && records.length > 0)
          windowEnds = Date.now() + batchingWindowSeconds * 1000;
        waiting = [...waiting, ...records];
        if (records.length === 0 && iterator !== undefined) await this.#sleep(IDLE_MS);
      }
      const full = waiting.filter(filter).length >= batchSize;
      if (waiting.length > 0 && (full || Date.now() >= windowEnds || iterator === undefined)) {
        if (!(await this.#deliver(checkpointId, shardId, waiting))) return;
        waiting = [];
      }
      if (iterator === undefined) {
        this.#services.checkpoints.save(checkpointId, shardId, { kind: "end" });
        return;
      }
    }
  }

  async #iterator(StreamArn: string, checkpointId: string, ShardId: string): Promise<string | undefined> {
    const position = this.#services.checkpoints.position(checkpointId, ShardId);
    const beginning = new GetShardIteratorCommand({ StreamArn, ShardId, ShardIteratorType: "TRIM_HORIZON" });
    if (position.kind !== "after") return (await this.#services.streams.send(beginning)).ShardIterator;
    try {
      const { ShardIterator } = await this.#services.streams.send(
        new GetShardIteratorCommand({
          StreamArn,
          ShardId,
          ShardIteratorType: "AFTER_SEQUENCE_NUMBER",
          SequenceNumber: position.sequenceNumber,
        }),
      );
      return ShardIterator;
    } catch (error) {
      // A stream keeps records for 24 hours: what is left of the shard begins later than we stopped.
      if (error instanceof TrimmedDataAccessException) {
        return (await this.#services.streams.send(beginning)).ShardIterator;
      }
      throw error;
    }
  }

  /** Delivers records and writes down that they are done with; false when stopped before that. */
  async #deliver(checkpointId: string, shardId: string, records: readonly StreamRecord[]): Promise<boolean> {
    const done = (upTo: StreamRecord) =>
      this.#services.checkpoints.save(checkpointId, shardId, {
        kind: "after",
        sequenceNumber: upTo.dynamodb.SequenceNumber,
      });
    const firstSeen = Date.now();
    const lanes = lanesOf(records.filter(this.#source.filter), this.#source.parallelizationFactor);
    const outcomes = await Promise.all(
      lanes.map(async (lane) => {
        for (const batch of batchesOf(lane, this.#source.batchSize, PAYLOAD_BYTES)) {
          const delivered = await deliverBatch(batch, {
            source: this.#source,
            invoke: (payload) => this.#target.invoke(payload),
            giveUp: (given) => this.#giveUp(shardId, given),
            pause: (attempt) => this.#sleep(Math.min(FIRST_RETRY_MS * 2 ** (attempt - 1), LAST_RETRY_MS)),
            ageOf: ({ dynamodb }) =>
              Math.max(
                Date.now() / 1000 - dynamodb.ApproximateCreationDateTime - CLOCK_GRAIN_SECONDS,
                (Date.now() - firstSeen) / 1000,
              ),
          });
          if (!delivered) return false;
          // In one lane everything before the batch is done with; in several only the slowest would tell.
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

  /** Tells the source's queue of records that are given up, with the metadata that Lambda sends. */
  async #giveUp(shardId: string, { records, condition, invocations }: GivenUp): Promise<void> {
    const { onFailure, streamArn } = this.#source;
    if (onFailure === undefined) return;
    const [first, last] = [records.at(0), records.at(-1)];
    const arrival = (record: StreamRecord | undefined) =>
      new Date((record?.dynamodb.ApproximateCreationDateTime ?? 0) * 1000).toISOString();
    const message = {
      requestContext: {
        requestId: randomUUID(),
        functionArn: this.#target.definition.arn,
        condition,
        approximateInvokeCount: invocations,
      },
      responseContext: { statusCode: 200, executedVersion: "$LATEST", functionError: "Unhandled" },
      version: "1.0",
      timestamp: new Date().toISOString(),
      DDBStreamBatchInfo: {
        shardId,
        startSequenceNumber: first?.dynamodb.SequenceNumber,
        endSequenceNumber: last?.dynamodb.SequenceNumber,
        approximateArrivalOfFirstRecord: arrival(first),
        approximateArrivalOfLastRecord: arrival(last),
        batchSize: records.length,
        streamArn,
      },
    };
    await this.#services.sqs.send(
      new SendMessageCommand({
        QueueUrl: `${this.#services.queuesUrl}/${ACCOUNT}/${onFailure.split(":").at(-1)}`,
        MessageBody: JSON.stringify(message),
      }),
    );
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

  /** Waits; false when the poller is stopped meanwhile. */
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
