import {
  DescribeStreamCommand,
  DynamoDBStreamsClient,
  ExpiredIteratorException,
  GetRecordsCommand,
  GetShardIteratorCommand,
  ListStreamsCommand,
} from "@aws-sdk/client-dynamodb-streams";
import { SQSClient } from "@aws-sdk/client-sqs";
import { expect, onTestFinished, test } from "vitest";
import { Checkpoints } from "../../../local/event-sources/checkpoints.ts";
import { StreamPoller } from "../../../local/event-sources/stream-poller.ts";
import { DirectQueues } from "../../../local/sqs/direct-queues.ts";
import { SqsEngine } from "../../../local/sqs/engine.ts";
import { LongPolls } from "../../../local/sqs/long-polls.ts";
import { mockedClient } from "../../builders/mocked-client.ts";
import { STREAM_SOURCE } from "../../builders/stream-source.ts";
import { temporaryFolder } from "../../builders/temporary-folder.ts";

const streams = mockedClient(DynamoDBStreamsClient);

test("A stream is read on from its position after an iterator has expired, as on a machine that slept", async () => {
  streams
    .on(ListStreamsCommand)
    .resolves({ Streams: [{ StreamArn: STREAM_SOURCE.streamArn, StreamLabel: "1" }] });
  streams.on(DescribeStreamCommand).resolves({ StreamDescription: { Shards: [{ ShardId: "shard" }] } });
  streams.on(GetShardIteratorCommand).resolves({ ShardIterator: "first" });
  streams
    .on(GetShardIteratorCommand, { ShardIteratorType: "AFTER_SEQUENCE_NUMBER", SequenceNumber: "1" })
    .resolves({ ShardIterator: "after 1" });
  const page = (SequenceNumber: string, NextShardIterator: string) => ({
    Records: [{ eventName: "INSERT" as const, dynamodb: { SequenceNumber } }],
    NextShardIterator,
  });
  streams.on(GetRecordsCommand).resolves({ Records: [], NextShardIterator: "end" });
  streams.on(GetRecordsCommand, { ShardIterator: "first" }).resolves(page("1", "expired"));
  streams
    .on(GetRecordsCommand, { ShardIterator: "expired" })
    .rejects(new ExpiredIteratorException({ message: "It has expired.", $metadata: {} }));
  streams.on(GetRecordsCommand, { ShardIterator: "after 1" }).resolves(page("2", "end"));
  const received: string[] = [];
  const faults: unknown[] = [];
  const onFault = (error: unknown) => void faults.push(error);
  const engine = new SqsEngine({ now: Date.now, random: Math.random, queueUrl: (name) => name });

  const poller = new StreamPoller(
    STREAM_SOURCE,
    {
      definition: {
        name: STREAM_SOURCE.functionName,
        arn: "arn:function",
        codeDirectory: "",
        handler: "",
        timeoutSeconds: 1,
        memoryMegabytes: 128,
        environment: {},
        reservedConcurrency: undefined,
        allowsRecursion: false,
        logLevel: undefined,
      },
      async invoke(payload) {
        for (const { dynamodb } of JSON.parse(payload).Records) received.push(dynamodb.SequenceNumber);
        return { payload: "null" };
      },
    },
    {
      streams: new DynamoDBStreamsClient(),
      sqs: new SQSClient(),
      queuesUrl: "http://localhost",
      queues: new DirectQueues(engine, new LongPolls(engine)),
      checkpoints: new Checkpoints(`${await temporaryFolder()}/checkpoints.sqlite`, onFault),
      processors: { areBusy: () => false },
      onFault,
    },
  );
  onTestFinished(() => poller.stop());

  await expect.poll(() => received).toEqual(["1", "2"]);
  expect(faults).toEqual([]);
});
