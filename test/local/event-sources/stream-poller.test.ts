import { setTimeout as delay } from "node:timers/promises";
import {
  DescribeStreamCommand,
  DynamoDBStreamsClient,
  ExpiredIteratorException,
  GetRecordsCommand,
  GetShardIteratorCommand,
  ListStreamsCommand,
  TrimmedDataAccessException,
} from "@aws-sdk/client-dynamodb-streams";
import { SendMessageCommand, SQSClient } from "@aws-sdk/client-sqs";
import { beforeEach, expect, onTestFinished, test, vi } from "vitest";
import { Checkpoints } from "../../../local/event-sources/checkpoints.ts";
import type { StreamSource } from "../../../local/event-sources/definition.ts";
import { StreamPoller } from "../../../local/event-sources/stream-poller.ts";
import type { FunctionDefinition } from "../../../local/lambda/function-definition.ts";
import { DirectQueues } from "../../../local/sqs/direct-queues.ts";
import { SqsEngine } from "../../../local/sqs/engine.ts";
import { LongPolls } from "../../../local/sqs/long-polls.ts";
import { mockedClient } from "../../builders/mocked-client.ts";
import { STREAM_SOURCE } from "../../builders/stream-source.ts";
import { temporaryFolder } from "../../builders/temporary-folder.ts";

const streams = mockedClient(DynamoDBStreamsClient);
const sqs = mockedClient(SQSClient);
beforeEach(() => {
  streams.reset();
  sqs.reset();
});

const CHECKPOINT = `${STREAM_SOURCE.id} ${STREAM_SOURCE.streamArn}`;

interface FakeShard {
  readonly id: string;
  readonly parent?: string;
  /** Whether it gets no more records. */
  readonly isClosed?: boolean;
  /** A sequence number, and the item's key. */
  readonly records: (readonly [sequenceNumber: string, pk: string])[];
  readonly createdAt?: Date;
}

/** A stream whose description has one shard a page, and an iterator its shard and the index of the next record. */
function streamOf(...shards: readonly FakeShard[]): void {
  const shardOf = (id?: string) => shards.find((each) => each.id === id) as FakeShard;
  streams
    .on(ListStreamsCommand)
    .resolves({ Streams: [{ StreamArn: STREAM_SOURCE.streamArn, StreamLabel: "1" }] });
  streams.on(DescribeStreamCommand).callsFake(({ ExclusiveStartShardId: last }) => {
    const index = shards.findIndex(({ id }) => id === last) + 1;
    const { id: ShardId, parent: ParentShardId } = shards[index] as FakeShard;
    const isLast = index === shards.length - 1;
    return {
      StreamDescription: {
        Shards: [{ ShardId, ParentShardId }],
        ...(!isLast && { LastEvaluatedShardId: ShardId }),
      },
    };
  });
  streams.on(GetShardIteratorCommand).callsFake(({ ShardId, SequenceNumber }) => {
    const index = shardOf(ShardId).records.findIndex(([number]) => number === SequenceNumber) + 1;
    return { ShardIterator: `${ShardId} ${index}` };
  });
  streams.on(GetRecordsCommand).callsFake(({ ShardIterator }) => {
    const [id, from] = ShardIterator.split(" ");
    const { records, isClosed, createdAt } = shardOf(id);
    return {
      Records: records.slice(Number(from)).map(([SequenceNumber, pk]) => ({
        eventName: "INSERT",
        dynamodb: { SequenceNumber, Keys: { pk: { S: pk } }, ApproximateCreationDateTime: createdAt },
      })),
      ...(!isClosed && { NextShardIterator: `${id} ${records.length}` }),
    };
  });
}

async function emptyCheckpoints(): Promise<Checkpoints> {
  return new Checkpoints(`${await temporaryFolder()}/checkpoints.sqlite`, (error) =>
    expect.unreachable(String(error)),
  );
}

/** Reads the stream, and collects the sequence numbers of each invocation. */
function poll(
  checkpoints: Checkpoints,
  rules: Partial<StreamSource> = {},
  hasFailed: (batch: string) => boolean = () => false,
) {
  const batches: string[] = [];
  const faults: unknown[] = [];
  const engine = new SqsEngine({ now: Date.now, random: Math.random, queueUrl: (name) => name });
  const poller = new StreamPoller(
    { ...STREAM_SOURCE, ...rules },
    {
      definition: { name: STREAM_SOURCE.functionName, arn: "arn:function" } as FunctionDefinition,
      async invoke(payload) {
        const records: { dynamodb: { SequenceNumber: string } }[] = JSON.parse(payload).Records;
        const batch = records.map(({ dynamodb }) => dynamodb.SequenceNumber).join(",");
        batches.push(batch);
        return { payload: "null", ...(hasFailed(batch) && { functionError: "Unhandled" }) };
      },
    },
    {
      streams: new DynamoDBStreamsClient(),
      sqs: new SQSClient(),
      queuesEndpoint: "http://localhost",
      queues: new DirectQueues(engine, new LongPolls(engine)),
      checkpoints,
      processors: { areBusy: () => false },
      onFault: (error) => void faults.push(error),
    },
  );
  onTestFinished(() => poller.stop());
  return { poller, batches, faults };
}

test("A stream is read on from its position after an iterator has expired, as on a machine that slept", async () => {
  streamOf({
    id: "shard",
    records: [
      ["1", "a"],
      ["2", "a"],
    ],
  });
  streams.on(GetRecordsCommand, { ShardIterator: "shard 0" }).resolves({
    Records: [{ eventName: "INSERT", dynamodb: { SequenceNumber: "1" } }],
    NextShardIterator: "expired",
  });
  streams
    .on(GetRecordsCommand, { ShardIterator: "expired" })
    .rejects(new ExpiredIteratorException({ message: "It has expired.", $metadata: {} }));

  const { batches, faults } = poll(await emptyCheckpoints());

  await expect.poll(() => batches).toEqual(["1", "2"]);
  expect(faults).toEqual([]);
});

test("A stream is read on from its oldest record if those after its position have been trimmed", async () => {
  streamOf({ id: "shard", records: [["9", "a"]] });
  streams
    .on(GetShardIteratorCommand, { ShardIteratorType: "AFTER_SEQUENCE_NUMBER" })
    .rejects(new TrimmedDataAccessException({ message: "It is trimmed.", $metadata: {} }));
  const checkpoints = await emptyCheckpoints();
  checkpoints.save(CHECKPOINT, "shard", { kind: "after", sequenceNumber: "1" });

  const { batches, faults } = poll(checkpoints);

  await expect.poll(() => batches).toEqual(["9"]);
  expect(faults).toEqual([]);
});

test("Each shard of a stream is read, a child after its parent", async () => {
  streamOf(
    { id: "child", parent: "parent", records: [["3", "a"]] },
    { id: "parent", parent: "trimmed", isClosed: true, records: [["1", "a"]] },
    { id: "other", records: [["2", "b"]] },
  );

  const { batches, faults } = poll(await emptyCheckpoints());

  await expect.poll(() => batches).toHaveLength(3);
  expect(batches.filter((batch) => batch !== "2")).toEqual(["1", "3"]);
  expect(faults).toEqual([]);
});

test("A source that begins at LATEST gets no earlier record, and each later one", async () => {
  const records: FakeShard["records"] = [["1", "a"]];
  streamOf({ id: "shard", records });
  const checkpoints = await emptyCheckpoints();

  const { batches } = poll(checkpoints, { startingPosition: "LATEST" });
  await expect.poll(() => checkpoints.knows(CHECKPOINT)).toBe(true);
  records.push(["2", "a"]);

  await expect.poll(() => batches).toEqual(["2"]);
});

test("A record whose function failed until the stop is delivered after the next start", async () => {
  streamOf({ id: "shard", records: [["1", "a"]] });
  const checkpoints = await emptyCheckpoints();
  const failing = poll(checkpoints, {}, () => true);
  await expect.poll(() => failing.batches).toContain("1");
  await failing.poller.stop();

  const { batches } = poll(checkpoints);

  await expect.poll(() => batches).toEqual(["1"]);
});

test("Of batches that run at once, one that fails holds back its items alone, and is delivered after a restart", async () => {
  streamOf({
    id: "shard",
    records: [
      ["1", "a"],
      ["2", "b"],
      ["3", "a"],
      ["4", "b"],
    ],
  });
  const checkpoints = await emptyCheckpoints();
  const rules = { parallelizationFactor: 2, batchSize: 1 };
  const failing = poll(checkpoints, rules, (batch) => batch === "1");
  await expect.poll(() => failing.batches).toEqual(expect.arrayContaining(["1", "4"]));
  await failing.poller.stop();
  expect(failing.batches).not.toContain("3");

  const { batches } = poll(checkpoints, rules);

  await expect.poll(() => batches).toEqual(expect.arrayContaining(["1", "3"]));
  expect(batches.filter((batch) => batch === "1" || batch === "3")).toEqual(["1", "3"]);
});

test("Records whose batches ran at once are not delivered again after a restart", async () => {
  const records: FakeShard["records"] = [
    ["1", "a"],
    ["2", "b"],
  ];
  streamOf({ id: "shard", records });
  const checkpoints = await emptyCheckpoints();
  const rules = { parallelizationFactor: 2, batchSize: 1 };
  const before = poll(checkpoints, rules);
  await expect.poll(() => before.batches.toSorted()).toEqual(["1", "2"]);
  await before.poller.stop();
  records.push(["3", "a"]);

  const { batches } = poll(checkpoints, rules);

  await expect.poll(() => batches).toContain("3");
  expect(batches).toEqual(["3"]);
});

test("A record that was written long before it is read is delivered, as after a stop or a sleep", async () => {
  streamOf({ id: "shard", records: [["1", "a"]], createdAt: new Date(0) });

  const { batches } = poll(await emptyCheckpoints(), { maximumRecordAgeSeconds: 60 });

  await expect.poll(() => batches).toEqual(["1"]);
});

test("A record that fails is discarded at the maximum age, counted from its first read, whatever the clock shows", async () => {
  vi.useFakeTimers({ toFake: ["Date", "performance"] });
  onTestFinished(() => void vi.useRealTimers());
  streamOf({ id: "shard", records: [["1", "a"]], createdAt: new Date() });
  sqs.on(SendMessageCommand).rejectsOnce("The disk is full.").resolves({});
  const rules = { maximumRecordAgeSeconds: 60, onFailure: "arn:aws:sqs:us-east-1:000000000000:failed" };
  const { batches, faults } = poll(await emptyCheckpoints(), rules, () => true);
  await expect.poll(() => batches).toContain("1");

  vi.setSystemTime(Date.now() + 86_400_000);
  const attempts = batches.length;
  await expect.poll(() => batches.length).toBeGreaterThan(attempts);
  vi.advanceTimersByTime(61_000);
  await expect.poll(() => sqs.commandCalls(SendMessageCommand)).toHaveLength(2);

  // A discard that fails is repeated, without another invocation.
  expect(faults.map(String)).toEqual(["Error: The disk is full."]);
  const invocations = sqs.commandCalls(SendMessageCommand).map(({ args: [{ input }] }) => {
    const { requestContext } = JSON.parse(input.MessageBody ?? "");
    return requestContext.approximateInvokeCount;
  });
  expect(invocations).toEqual([batches.length, 0]);
});

test("A batching window ends after its time, also while records keep arriving", async () => {
  const records: FakeShard["records"] = [["1", "a"]];
  streamOf({ id: "shard", records });
  const { batches } = poll(await emptyCheckpoints(), { batchingWindowSeconds: 0.5 });

  for (let sequence = 2; sequence <= 30 && batches.length === 0; sequence += 1) {
    records.push([String(sequence), "a"]);
    await delay(100);
  }

  expect(batches).not.toEqual([]);
});

test("A stream that cannot be read is reported, and so is a table without one", async () => {
  streamOf({ id: "shard", records: [] });
  const fault = new Error("The engine has ended.");
  streams.on(GetRecordsCommand).rejects(fault);
  const unreadable = poll(await emptyCheckpoints());
  await expect.poll(() => unreadable.faults).toEqual([fault]);
  await unreadable.poller.stop();

  streams.on(ListStreamsCommand).resolves({ Streams: [] });
  const { faults } = poll(await emptyCheckpoints());

  await expect
    .poll(() => faults.map(String))
    .toEqual(["CommandError: Source reads the stream of table, which has none. Add a stream to the table."]);
});

test.each([
  ["first", ["1", "2"]],
  ["last", ["2", "1"]],
])("Of a table's streams the newest is read, also if the oldest is listed %s", async (_, labels) => {
  streamOf({ id: "shard", records: [["1", "a"]] });
  streams.on(ListStreamsCommand).resolves({
    Streams: labels.map((StreamLabel) => ({ StreamArn: `stream ${StreamLabel}`, StreamLabel })),
  });
  const checkpoints = await emptyCheckpoints();

  const { batches } = poll(checkpoints);
  await expect.poll(() => batches).toEqual(["1"]);

  expect(["1", "2"].filter((label) => checkpoints.knows(`${STREAM_SOURCE.id} stream ${label}`))).toEqual([
    "2",
  ]);
});
