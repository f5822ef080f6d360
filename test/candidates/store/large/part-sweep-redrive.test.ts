import type { _Record } from "@aws-sdk/client-dynamodb-streams";
import {
  DynamoDBStreamsClient,
  GetRecordsCommand,
  GetShardIteratorCommand,
  TrimmedDataAccessException,
} from "@aws-sdk/client-dynamodb-streams";
import { mockClient } from "aws-sdk-client-mock";
import { beforeEach, describe, expect, test, vi } from "vitest";
import { redriveSweeps } from "#candidates/store/large/part-sweep-redrive";
import { capturedLogs } from "../../../builders/captured-logs.ts";

const logs = capturedLogs();

const client = new DynamoDBStreamsClient({ region: "eu-west-1" });
const streams = mockClient(client);

const letter = JSON.stringify({
  requestContext: { condition: "RecordAgeExceeded" },
  DDBStreamBatchInfo: {
    shardId: "shardId-1",
    startSequenceNumber: "100",
    endSequenceNumber: "300",
    streamArn: "arn:aws:dynamodb:eu-west-1:1:table/t/stream/1",
    batchSize: 2,
  },
});

function aRemoval(SequenceNumber: string, pk: string, sk = `WRITE#${SequenceNumber}`): _Record {
  return { eventName: "REMOVE", dynamodb: { SequenceNumber, Keys: { pk: { S: pk }, sk: { S: sk } } } };
}

function inStream(...Records: _Record[]): void {
  streams.on(GetRecordsCommand).resolves({ Records });
}

beforeEach(() => {
  streams.reset();
  streams.on(GetShardIteratorCommand).resolves({ ShardIterator: "start" });
});

describe("a dead-lettered batch of part sweeps", () => {
  test("is redriven with one sweep of each candidate", async () => {
    inStream(aRemoval("100", "CANDIDATE#a"), aRemoval("200", "CANDIDATE#a"), aRemoval("300", "CANDIDATE#b"));
    const sweep = vi.fn(async () => {});

    await expect(redriveSweeps(letter, { streams: client, parts: { sweep } })).resolves.toBe(true);
    expect(sweep.mock.calls).toEqual([["CANDIDATE#a"], ["CANDIDATE#b"]]);
  });

  test("ignores stream records in its range that are not expired notices", async () => {
    inStream(
      aRemoval("100", "CANDIDATE#a"),
      aRemoval("150", "CANDIDATE#part", "PART#documents#1#1#1"),
      { ...aRemoval("200", "CANDIDATE#new"), eventName: "INSERT" },
      { eventName: "REMOVE", dynamodb: { SequenceNumber: "210" } },
      { eventName: "REMOVE", dynamodb: { SequenceNumber: "220", Keys: {} } },
      { eventName: "REMOVE", dynamodb: { SequenceNumber: "230", Keys: { sk: { N: "1" } } } },
      aRemoval("400", "CANDIDATE#later"),
    );
    const sweep = vi.fn(async () => {});

    await redriveSweeps(letter, { streams: client, parts: { sweep } });
    expect(sweep.mock.calls).toEqual([["CANDIDATE#a"]]);
  });

  test("stays in the queue while a sweep fails", async () => {
    inStream(aRemoval("100", "CANDIDATE#a"));
    const sweep = vi.fn().mockRejectedValue(new Error("throttled"));

    await expect(redriveSweeps(letter, { streams: client, parts: { sweep } })).resolves.toBe(false);
    expect(JSON.parse(logs.text())).toMatchObject({
      level: "ERROR",
      message: "redrive failed",
      cause: { message: "throttled" },
    });
  });

  test("stays in the queue if the stream no longer has its records", async () => {
    streams
      .on(GetShardIteratorCommand)
      .rejects(new TrimmedDataAccessException({ message: "trimmed", $metadata: {} }));

    const parts = { sweep: vi.fn() };
    await expect(redriveSweeps(letter, { streams: client, parts })).resolves.toBe(false);
    expect(parts.sweep).not.toHaveBeenCalled();
  });

  test.each(["nonsense", "null", "{}"])("stays in the queue if it cannot be read: %s", async (body) => {
    await expect(redriveSweeps(body, { streams: client, parts: { sweep: vi.fn() } })).resolves.toBe(false);
  });
});
