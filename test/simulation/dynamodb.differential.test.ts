import { randomUUID } from "node:crypto";
import {
  ConditionalCheckFailedException,
  DeleteItemCommand,
  DescribeTableCommand,
  DynamoDBClient,
  DynamoDBServiceException,
  GetItemCommand,
  PutItemCommand,
  QueryCommand,
  TransactionCanceledException,
  TransactWriteItemsCommand,
  UpdateItemCommand,
} from "@aws-sdk/client-dynamodb";
import {
  DescribeStreamCommand,
  DynamoDBStreamsClient,
  GetRecordsCommand,
  GetShardIteratorCommand,
  type _Record as StreamRecord,
} from "@aws-sdk/client-dynamodb-streams";
import fc from "fast-check";
import { afterAll, beforeAll, expect, inject, test } from "vitest";
import { deployTable } from "../../local/dynamodb/tables.ts";
import { serviceTable } from "../../tools/simulation/dynamodb/service-table.ts";
import { SimulatedTable } from "../../tools/simulation/dynamodb/simulated-table.ts";
import { type Request, requestsOn } from "./requests.ts";

/** How long the comparison may take, in ms, and to find the least requests that show a difference. */
const BUDGET_MS = 2_000;
const SHRINKING_MS = 30_000;
/** The most runs, and what a slow machine runs however long it takes. */
const RUNS = 40;
const FEWEST_RUNS = 3;
/** How many sequences of requests go on side by side. */
const LANES = 4;

const definition = { ...serviceTable, stream: "NEW_AND_OLD_IMAGES" } as const;

let engine: DynamoDBClient;
let streams: DynamoDBStreamsClient;
let simulated: SimulatedTable;

beforeAll(async () => {
  const connection = {
    endpoint: inject("dynamoDbEndpoint"),
    region: "us-east-1",
    maxAttempts: 1,
    credentials: {
      accessKeyId: `test${randomUUID().replaceAll("-", "").slice(0, 12)}`,
      secretAccessKey: "test",
    },
  };
  engine = new DynamoDBClient(connection);
  streams = new DynamoDBStreamsClient(connection);
  await deployTable(engine, definition);
  let now = Date.parse("2026-01-01T00:00:00.000Z");
  simulated = new SimulatedTable(definition, { now: () => now++, random: () => 0, stalenessMs: 0 });
});
afterAll(() => {
  engine?.destroy();
  streams?.destroy();
});

/** What a request comes to: its response, or the name of its error and what that carries. */
type Outcome = object;

/** DynamoDB Local reports consumed capacity with some deletions that did not ask for it. */
async function byEngine(request: Request): Promise<Outcome> {
  try {
    const { $metadata, ConsumedCapacity, ...response } = await sent(request);
    return response;
  } catch (error) {
    return failure(error);
  }
}

function sent(request: Request): Promise<{ $metadata: unknown; ConsumedCapacity?: unknown }> {
  switch (request.target) {
    case "GetItem":
      return engine.send(new GetItemCommand(request.input));
    case "PutItem":
      return engine.send(new PutItemCommand(request.input));
    case "UpdateItem":
      return engine.send(new UpdateItemCommand(request.input));
    case "DeleteItem":
      return engine.send(new DeleteItemCommand(request.input));
    case "Query":
      return engine.send(new QueryCommand(request.input));
    case "TransactWriteItems":
      return engine.send(new TransactWriteItemsCommand(request.input));
  }
}

function bySimulation({ target, input }: Request): Outcome {
  try {
    return simulated.handle(target, input);
  } catch (error) {
    return failure(error);
  }
}

function failure(error: unknown): Outcome {
  if (!(error instanceof DynamoDBServiceException)) throw error;
  if (error instanceof ConditionalCheckFailedException) return { error: error.name, item: error.Item };
  if (!(error instanceof TransactionCanceledException)) return { error: error.name };
  const reasons = error.CancellationReasons?.map(({ Code, Item }) => ({ Code, Item }));
  // DynamoDB Local refuses as invalid what, by the API reference, cancels the transaction.
  if (reasons?.some(({ Code }) => Code === "ValidationError")) return { error: "ValidationException" };
  return { error: error.name, reasons };
}

/**
 * A form in which equal outcomes are equal: DynamoDB Local keeps numbers as they were sent, where DynamoDB trims
 * zeros, and neither orders sets, nor what an index has under equal keys.
 */
function comparable(value: unknown): unknown {
  if (value instanceof Uint8Array) return Buffer.from(value).toString("hex");
  if (Array.isArray(value)) return value.map(comparable);
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(
    Object.entries(value).flatMap(([name, member]): [string, unknown][] => {
      if (member === undefined) return [];
      if (name === "N" && typeof member === "string") return [[name, plain(member)]];
      if (name === "NS" && Array.isArray(member)) return [[name, member.map(plain).sort()]];
      if (name === "SS" && Array.isArray(member)) return [[name, [...member].sort()]];
      if (name === "BS" && Array.isArray(member)) return [[name, member.map(comparable).toSorted()]];
      return [[name, comparable(member)]];
    }),
  );
}

function plain(number: string): string {
  return number.length > 15 ? number.replace(/\.0$/, "") : String(Number(number));
}

function ofIndex({ target, input }: Request): boolean {
  return target === "Query" && input.IndexName !== undefined;
}

function compared(request: Request, outcome: Outcome): unknown {
  const form = comparable(outcome) as Record<string, unknown>;
  if (!ofIndex(request) || !Array.isArray(form["Items"])) return form;
  return {
    ...form,
    Items: form["Items"].map((item) => JSON.stringify(item, Object.keys(item).sort())).sort(),
  };
}

let serial = 0;

test("the simulated DynamoDB responds to any requests like DynamoDB Local, with equal items and stream", async () => {
  const lanes = Array.from({ length: LANES }, (_, index) =>
    fc.array(requestsOn(definition.name, `lane-${index}`, `lane-${index}`), { minLength: 4, maxLength: 20 }),
  );
  const end = Date.now() + BUDGET_MS;
  let isShrinking = false;
  await fc.assert(
    fc.asyncProperty(fc.tuple(...lanes), async (sequences) => {
      if (Date.now() > end && serial >= FEWEST_RUNS && !isShrinking) return;
      serial += 1;
      try {
        await Promise.all(sequences.map((sequence) => compareSequence(sequence, `run-${serial}`)));
      } catch (error) {
        isShrinking = true;
        throw error;
      }
    }),
    { numRuns: RUNS, interruptAfterTimeLimit: SHRINKING_MS },
  );

  const expected = changesByItem(await engineRecords());
  const actual = changesByItem(simulated.shards.flatMap((shard) => shard.read(0)));
  expect(actual.size).toBeGreaterThan(0);
  for (const [item, changes] of expected) expect(actual.get(item), item).toEqual(changes);
  expect(actual.size).toBe(expected.size);
});

/** Each run has partitions of its own, which begin empty. */
function inScope(request: Request, run: string): Request {
  return JSON.parse(JSON.stringify(request, binaryAsText), (_, value) => {
    if (typeof value === "string" && value.startsWith("lane-")) return `${run}/${value}`;
    if (typeof value === "object" && value !== null && "binary" in value) {
      return new Uint8Array(Buffer.from(value.binary, "hex"));
    }
    return value;
  });
}

function binaryAsText(_: string, value: unknown): unknown {
  return value instanceof Uint8Array ? { binary: Buffer.from(value).toString("hex") } : value;
}

async function compareSequence(sequence: readonly Request[], run: string): Promise<void> {
  for (const unscoped of sequence) {
    const request = inScope(unscoped, run);
    const expected = await byEngine(request);
    expect(compared(request, bySimulation(request)), JSON.stringify(request, binaryAsText)).toEqual(
      compared(request, expected),
    );
  }
}

async function engineRecords(): Promise<StreamRecord[]> {
  const { Table } = await engine.send(new DescribeTableCommand({ TableName: definition.name }));
  const StreamArn = Table?.LatestStreamArn;
  const { StreamDescription } = await streams.send(new DescribeStreamCommand({ StreamArn }));
  const records: StreamRecord[] = [];
  for (const { ShardId } of StreamDescription?.Shards ?? []) {
    let { ShardIterator: iterator } = await streams.send(
      new GetShardIteratorCommand({ StreamArn, ShardId, ShardIteratorType: "TRIM_HORIZON" }),
    );
    while (iterator) {
      const page = await streams.send(new GetRecordsCommand({ ShardIterator: iterator }));
      if (!page.Records?.length) break;
      records.push(...page.Records);
      iterator = page.NextShardIterator;
    }
  }
  return records;
}

/** The changes of each item, in order. */
function changesByItem(records: readonly StreamRecord[]): Map<string, unknown[]> {
  const changes = new Map<string, unknown[]>();
  for (const { eventName, dynamodb } of records) {
    const item = `${dynamodb?.Keys?.["pk"]?.S} ${dynamodb?.Keys?.["sk"]?.S}`;
    const change = comparable({ eventName, before: dynamodb?.OldImage, after: dynamodb?.NewImage });
    changes.set(item, [...(changes.get(item) ?? []), change]);
  }
  return changes;
}
