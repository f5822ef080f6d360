import { expect, test } from "vitest";
import { Throttle } from "../../local/api-gateway/throttle.ts";
import type { StreamSource } from "../../local/event-sources/definition.ts";
import { parsePattern } from "../../local/event-sources/record-filter.ts";
import { batchesOf, type DiscardedRecords, deliverBatch } from "../../local/event-sources/stream-delivery.ts";
import type { StreamRecord } from "../../local/event-sources/stream-record.ts";
import { Template } from "../../local/template.ts";
import { STREAM_SOURCE } from "../builders/stream-source.ts";

test("A throttle allows the burst at once, then the rate", () => {
  let now = 0;
  const throttle = new Throttle({ ratePerSecond: 10, burst: 3 }, () => now);
  const take = (count: number) => Array.from({ length: count }, () => throttle.take());
  expect(take(4)).toEqual([true, true, true, false]);
  now = 200;
  expect(take(3)).toEqual([true, true, false]);
});

test.each([
  [{ eventName: ["INSERT", "MODIFY"] }, true],
  [{ eventName: ["REMOVE"] }, false],
  [{ dynamodb: { NewImage: { event: { M: { id: { S: [{ exists: true }] } } } } } }, true],
  [{ dynamodb: { NewImage: { event: { M: { id: { S: [{ exists: false }] } } } } } }, false],
  // A map is no leaf.
  [{ dynamodb: { NewImage: { event: { M: [{ exists: true }] } } } }, false],
  [{ dynamodb: { NewImage: { event: { M: [{ exists: false }] } } } }, true],
  [{ dynamodb: { OldImage: { event: [{ exists: false }] } } }, true],
  [{ dynamodb: { Keys: { pk: { S: [{ prefix: "CANDIDATE#" }] } } } }, true],
  [{ dynamodb: { Keys: { pk: { S: [{ prefix: "KEY#" }] } } } }, false],
  [{ eventName: [{ "anything-but": "REMOVE" }] }, true],
])("The event filter pattern %j passes the record: %s", (pattern, passes) => {
  const record = {
    eventName: "INSERT",
    dynamodb: { Keys: { pk: { S: "CANDIDATE#1" } }, NewImage: { event: { M: { id: { S: "evt" } } } } },
  };
  expect(parsePattern([JSON.stringify(pattern)])(record)).toBe(passes);
});

test.each([
  [{ a: [{ numeric: [">", 1] }] }, /filter pattern \{"numeric"/],
  [{ a: [{ prefix: { "equals-ignore-case": "x" } }] }, /filter pattern \{"prefix"/],
  [{ a: [{ "anything-but": { prefix: "x" } }] }, /filter pattern \{"anything-but"/],
  [{ $or: [{ a: ["x"] }, { b: ["x"] }] }, /filter pattern \{"\$or"/],
])("The event filter pattern %j is refused, because it has an unknown operator", (pattern, message) => {
  expect(() => parsePattern([JSON.stringify(pattern)])).toThrow(message);
});

test("An unknown intrinsic function in the template is refused with its name", () => {
  const template = new Template({ Resources: {} }, { stackName: "S", queuesUrl: "http://localhost" });
  expect(() => template.resolve({ "Fn::Cidr": [] })).toThrow(/uses Fn::Cidr, which/);
  expect(() => template.resolve({ Ref: "Nothing" })).toThrow(/references Nothing \(no resource\)/);
  expect(template.resolve({ "Fn::Sub": `\${AWS::Partition}-\${AWS::StackName}` })).toBe("aws-S");
});

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
