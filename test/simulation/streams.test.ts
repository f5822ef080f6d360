import {
  ExpiredIteratorException,
  type GetRecordsOutput,
  type GetShardIteratorInput,
  type GetShardIteratorOutput,
  ResourceNotFoundException,
  TrimmedDataAccessException,
} from "@aws-sdk/client-dynamodb-streams";
import { PutCommand } from "@aws-sdk/lib-dynamodb";
import { beforeEach, expect, test } from "vitest";
import { SimulatedStreams } from "../../tools/simulation/aws/streams.ts";
import { SimulatedStore } from "./simulated-store.ts";

const HOUR = 3_600_000;

let store: SimulatedStore;
let streams: SimulatedStreams;
beforeEach(() => {
  store = new SimulatedStore();
  streams = new SimulatedStreams(store.table, () => store.milliseconds);
});

const put = (sk: string, text = "") =>
  store.client.send(new PutCommand({ TableName: store.tableName, Item: { pk: "p", sk, text } }));
const shard = () => {
  const written = store.table.shards.find(({ length }) => length > 0);
  if (!written) throw new Error("Nothing is written.");
  return written;
};
const iteratorAt = (start: Partial<GetShardIteratorInput>): string => {
  const input = { ShardId: shard().shardId, ...start };
  return (streams.handle("GetShardIterator", input) as GetShardIteratorOutput).ShardIterator ?? "";
};
const oldest = () => iteratorAt({ ShardIteratorType: "TRIM_HORIZON" });
const from = (position: number) =>
  iteratorAt({
    ShardIteratorType: "AT_SEQUENCE_NUMBER",
    SequenceNumber: shard().read(position, 1)[0]?.dynamodb?.SequenceNumber,
  });
const page = (ShardIterator: string, Limit?: number) => {
  const input = { ShardIterator, ...(Limit && { Limit }) };
  const { Records = [], NextShardIterator = "" } = streams.handle("GetRecords", input) as GetRecordsOutput;
  return { keys: Records.map(({ dynamodb }) => dynamodb?.Keys?.["sk"]?.S), next: NextShardIterator };
};

test("simulated stream records are read by page, from the oldest or a sequence number", async () => {
  for (const sk of ["1", "2", "3"]) await put(sk);

  const first = page(oldest(), 2);

  expect(first.keys).toEqual(["1", "2"]);
  expect(page(first.next).keys).toEqual(["3"]);
  expect(page(from(1)).keys).toEqual(["2", "3"]);
});

test("a simulated shard iterator at the end of a shard finds later records", async () => {
  await put("1");
  const { next } = page(oldest());
  const nothing = page(next);
  await put("2");

  expect(nothing.keys).toEqual([]);
  expect(page(nothing.next).keys).toEqual(["2"]);
});

test("a page of simulated stream records has at most 1 MB", async () => {
  for (const sk of ["1", "2", "3", "4"]) await put(sk, "x".repeat(350_000));

  const first = page(oldest());

  expect(first.keys).toEqual(["1", "2"]);
  expect(page(first.next).keys).toEqual(["3", "4"]);
});

test("simulated stream records are trimmed after 24 hours", async () => {
  await put("1");
  store.pass(HOUR);
  await put("2");
  const early = oldest();
  store.pass(23 * HOUR + 1);

  expect(() => from(0)).toThrow(TrimmedDataAccessException);
  expect(page(from(1)).keys).toEqual(["2"]);
  expect(page(oldest()).keys).toEqual(["2"]);
  expect(() => page(early)).toThrow(ExpiredIteratorException);
});

test("a simulated shard iterator whose records were trimmed is refused", async () => {
  await put("1");
  store.pass(24 * HOUR);
  const last = oldest();
  store.pass(60_000);

  expect(() => page(last)).toThrow(TrimmedDataAccessException);
});

test("an unknown shard of a simulated stream is refused", async () => {
  await put("1");

  expect(() => iteratorAt({ ShardId: "shardId-unknown", ShardIteratorType: "TRIM_HORIZON" })).toThrow(
    ResourceNotFoundException,
  );
});
