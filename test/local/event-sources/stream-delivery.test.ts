import { expect, test } from "vitest";
import type { StreamSource } from "../../../local/event-sources/definition.ts";
import { failedBatchMessage } from "../../../local/event-sources/failed-batch.ts";
import {
  batchesOf,
  type DiscardedRecords,
  deliverBatch,
} from "../../../local/event-sources/stream-delivery.ts";
import { type StreamRecord, toStreamRecord } from "../../../local/event-sources/stream-record.ts";
import { STREAM_SOURCE } from "../../builders/stream-source.ts";

test("Stream batches stay within the limits of records and bytes", () => {
  const bytes = JSON.stringify(aRecord("1")).length + 1;
  const records = ["1", "2", "3", "4", "5"].map(aRecord);
  const sizes = (size: number, limit: number) => batchesOf(records, size, limit).map(({ length }) => length);
  expect(sizes(2, 10_000)).toEqual([2, 2, 1]);
  expect(sizes(100, 3 * bytes)).toEqual([3, 2]);
  expect(sizes(100, 1)).toEqual([1, 1, 1, 1, 1]);
});

test("A failed stream batch is retried from the reported record, and dead-lettered after the retries", async () => {
  const { batches, discarded } = await deliver(
    { reportsItemFailures: true, maximumRetryAttempts: 2 },
    ["1", "2", "3"],
    () => JSON.stringify({ batchItemFailures: [{ itemIdentifier: "2" }] }),
  );
  expect(batches).toEqual(["1,2,3", "2,3", "2,3"]);
  expect(discarded).toEqual([["RetryAttemptsExhausted", "2,3", 3]]);
});

test("A failed stream batch of which a part succeeded has all its retries again", async () => {
  const failing = ["1", "2", "2"];
  const { batches, discarded } = await deliver(
    { reportsItemFailures: true, maximumRetryAttempts: 1 },
    ["1", "2", "3"],
    () => JSON.stringify({ batchItemFailures: [{ itemIdentifier: failing.shift() }] }),
  );
  expect(batches).toEqual(["1,2,3", "1,2,3", "2,3"]);
  expect(discarded).toEqual([["RetryAttemptsExhausted", "2,3", 2]]);
});

test("Halves of a failed stream batch have all their retries: a split is none", async () => {
  const { batches, discarded } = await deliver(
    { bisectsOnError: true, maximumRetryAttempts: 0 },
    ["1", "2", "3"],
    (batch) => (batch.includes("3") ? undefined : "null"),
  );
  expect(batches).toEqual(["1,2,3", "1,2", "3"]);
  expect(discarded).toEqual([["RetryAttemptsExhausted", "3", 1]]);
});

test.each(["null", "{}", '{"batchItemFailures":null}', '{"batchItemFailures":[]}'])(
  "A stream batch whose function returns %s has succeeded",
  async (response) => {
    const { batches, discarded } = await deliver(
      { reportsItemFailures: true, maximumRetryAttempts: 0 },
      ["1", "2"],
      () => response,
    );
    expect([batches, discarded]).toEqual([["1,2"], []]);
  },
);

test("The message about discarded stream records shows the first, the last, how many and when", () => {
  const [first, last] = [aRecord("1"), aRecord("3")].map((record, minute) => ({
    ...record,
    dynamodb: { ...record.dynamodb, ApproximateCreationDateTime: 60 * minute },
  }));
  const message = failedBatchMessage({
    streamArn: "arn:stream",
    functionArn: "arn:function",
    shardId: "shard",
    records: [first as StreamRecord, aRecord("2"), last as StreamRecord],
    condition: "RecordAgeExceeded",
    invocations: 7,
  });
  expect(message).toMatchObject({
    requestContext: {
      functionArn: "arn:function",
      condition: "RecordAgeExceeded",
      approximateInvokeCount: 7,
    },
    DDBStreamBatchInfo: {
      shardId: "shard",
      startSequenceNumber: "1",
      endSequenceNumber: "3",
      approximateArrivalOfFirstRecord: "1970-01-01T00:00:00.000Z",
      approximateArrivalOfLastRecord: "1970-01-01T00:01:00.000Z",
      batchSize: 3,
      streamArn: "arn:stream",
    },
  });
});

test("A stream record has its time in seconds, bytes in base 64, and who deleted an expired item", () => {
  const bytes = new Uint8Array([0, 1, 2, 3]).subarray(1, 3);
  const userIdentity = { Type: "Service", PrincipalId: "dynamodb.amazonaws.com" };
  const dynamodb = {
    ApproximateCreationDateTime: new Date(90_500),
    Keys: { pk: { B: bytes } },
    OldImage: { sets: { BS: [bytes] } },
  };

  expect(toStreamRecord({ eventName: "REMOVE", userIdentity, dynamodb }, "arn:stream")).toMatchObject({
    eventSourceARN: "arn:stream",
    userIdentity: { type: "Service", principalId: "dynamodb.amazonaws.com" },
    dynamodb: {
      ApproximateCreationDateTime: 90,
      Keys: { pk: { B: "AQI=" } },
      OldImage: { sets: { BS: ["AQI="] } },
    },
  });
  expect(toStreamRecord({ eventName: "INSERT" }, "arn:stream")).not.toHaveProperty("userIdentity");
});

test("Stream records beyond the maximum age are dead-lettered without an invocation", async () => {
  const { batches, discarded } = await deliver(
    { maximumRecordAgeSeconds: 60 },
    ["1", "200", "3"],
    () => "null",
  );
  expect(batches).toEqual(["1,3"]);
  expect(discarded).toEqual([["RecordAgeExceeded", "200", 0]]);
});

test("A function is not invoked if all records of its stream batch are beyond the maximum age", async () => {
  const { batches, discarded } = await deliver({ maximumRecordAgeSeconds: 60 }, ["100", "200"], () => "null");
  expect([batches, discarded]).toEqual([[], [["RecordAgeExceeded", "100,200", 0]]]);
});

test("A reported failure of a record outside the batch fails the whole stream batch", async () => {
  const { batches } = await deliver({ reportsItemFailures: true, maximumRetryAttempts: 1 }, ["1", "2"], () =>
    JSON.stringify({ batchItemFailures: [{ itemIdentifier: "" }] }),
  );
  expect(batches).toEqual(["1,2", "1,2"]);
});

/** Delivers records whose sequence number is also their age in seconds. A function without a response has failed. */
async function deliver(
  rules: Partial<StreamSource>,
  sequence: string[],
  respond: (batch: string) => string | undefined,
) {
  const batches: string[] = [];
  const discarded: (readonly [string, string, number])[] = [];
  const numbers = (records: readonly StreamRecord[]) =>
    records.map(({ dynamodb }) => dynamodb.SequenceNumber).join(",");
  await deliverBatch(sequence.map(aRecord), {
    source: { ...STREAM_SOURCE, ...rules },
    async invoke(payload) {
      const batch = numbers(JSON.parse(payload).Records);
      batches.push(batch);
      const response = respond(batch);
      return response === undefined ? { payload: "{}", functionError: "Unhandled" } : { payload: response };
    },
    async discard({ condition, records, invocations }: DiscardedRecords) {
      discarded.push([condition, numbers(records), invocations]);
    },
    pause: async () => true,
    ageOf: ({ dynamodb }) => Number(dynamodb.SequenceNumber),
  });
  return { batches, discarded };
}

function aRecord(SequenceNumber: string): StreamRecord {
  return {
    eventID: SequenceNumber,
    eventName: "INSERT",
    eventVersion: "1.1",
    eventSource: "aws:dynamodb",
    awsRegion: "us-east-1",
    eventSourceARN: STREAM_SOURCE.streamArn,
    dynamodb: {
      ApproximateCreationDateTime: 0,
      Keys: { pk: { S: SequenceNumber } },
      SequenceNumber,
      SizeBytes: 1,
      StreamViewType: "NEW_IMAGE",
    },
  };
}
