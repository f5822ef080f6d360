import { expect, test } from "vitest";
import type { StreamSource } from "../../../local/event-sources/definition.ts";
import {
  batchesOf,
  type DiscardedRecords,
  deliverBatch,
} from "../../../local/event-sources/stream-delivery.ts";
import type { StreamRecord } from "../../../local/event-sources/stream-record.ts";
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

test("Stream records beyond the maximum age are dead-lettered without an invocation", async () => {
  const { batches, discarded } = await deliver(
    { maximumRecordAgeSeconds: 60 },
    ["1", "200", "3"],
    () => "null",
  );
  expect(batches).toEqual(["1,3"]);
  expect(discarded).toEqual([["RecordAgeExceeded", "200", 0]]);
});

test("A reported failure of a record outside the batch fails the whole stream batch", async () => {
  const { batches } = await deliver({ reportsItemFailures: true, maximumRetryAttempts: 1 }, ["1", "2"], () =>
    JSON.stringify({ batchItemFailures: [{ itemIdentifier: "" }] }),
  );
  expect(batches).toEqual(["1,2", "1,2"]);
});

/** Delivers records whose sequence number is also their age in seconds. */
async function deliver(rules: Partial<StreamSource>, sequence: string[], respond: (batch: string) => string) {
  const batches: string[] = [];
  const discarded: (readonly [string, string, number])[] = [];
  const numbers = (records: readonly StreamRecord[]) =>
    records.map(({ dynamodb }) => dynamodb.SequenceNumber).join(",");
  await deliverBatch(sequence.map(aRecord), {
    source: { ...STREAM_SOURCE, ...rules },
    async invoke(payload) {
      const batch = numbers(JSON.parse(payload).Records);
      batches.push(batch);
      return { payload: respond(batch) };
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
