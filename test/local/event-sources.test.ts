import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { type AttributeValue, DynamoDBClient, PutItemCommand } from "@aws-sdk/client-dynamodb";
import { DynamoDBStreamsClient } from "@aws-sdk/client-dynamodb-streams";
import { ReceiveMessageCommand, SendMessageCommand, SQSClient } from "@aws-sdk/client-sqs";
import { describe, expect, inject, onTestFinished, test } from "vitest";
import { FailedBatch, readFailedBatch } from "#runtime/failed-batch";
import { type LocalStack, startLocalStack } from "../../local/local-stack.ts";
import { temporaryFolder } from "../builders/temporary-folder.ts";
import { ANY_STACK, LogLines, type Resources, writeAssembly } from "./fixture-assembly.ts";

const table = {
  Type: "AWS::DynamoDB::Table",
  Properties: {
    AttributeDefinitions: [{ AttributeName: "pk", AttributeType: "S" }],
    KeySchema: [{ AttributeName: "pk", KeyType: "HASH" }],
    StreamSpecification: { StreamViewType: "NEW_IMAGE" },
    TimeToLiveSpecification: { AttributeName: "deleteAfter", Enabled: true },
  },
};

function streamSource(properties: object) {
  return {
    Type: "AWS::Lambda::EventSourceMapping",
    Properties: {
      FunctionName: { Ref: "Consume" },
      EventSourceArn: { "Fn::GetAtt": ["Table", "StreamArn"] },
      StartingPosition: "TRIM_HORIZON",
      FilterCriteria: {
        Filters: [{ Pattern: '{"dynamodb":{"NewImage":{"event":{"M":{"id":{"S":[{"exists":true}]}}}}}}' }],
      },
      ...properties,
    },
  };
}

/** Logs the keys of each batch; fails as a whole on "poison", and reports "sick" once. */
const consumer = `const reported = new Set();
  export const handler = async ({ Records }) => {
    const keys = Records.map(({ dynamodb }) => dynamodb.Keys.pk.S);
    console.log("batch " + keys.join(","));
    if (keys.includes("poison")) throw new Error("poisoned");
    const sick = Records.find(({ dynamodb }) => dynamodb.Keys.pk.S === "sick");
    if (!sick || reported.has("sick")) return { batchItemFailures: [] };
    reported.add("sick");
    return { batchItemFailures: [{ itemIdentifier: sick.dynamodb.SequenceNumber }] };
  };`;

async function start(
  folder: string,
  consume: string,
  resources: Resources,
  properties: Record<string, unknown> = {},
  onFault?: (error: unknown) => void,
) {
  const lines = new LogLines();
  const assembly = await writeAssembly(join(folder, "assembly"), {
    functions: { Consume: { code: consume, properties } },
    resources,
  });
  const stack = await startLocalStack({
    ...ANY_STACK,
    dataDir: join(folder, "data"),
    assembly,
    dynamoDbEndpoint: inject("dynamoDbEndpoint"),
    onLog: lines.add,
    ...(onFault && { onFault }),
  });
  onTestFinished(() => stack.stop());
  return { stack, lines };
}

function databaseOf({ dynamoDbEndpoint, aws }: LocalStack) {
  return new DynamoDBClient({ endpoint: dynamoDbEndpoint, region: aws.region, credentials: aws });
}

function queuesOf({ queuesEndpoint, aws }: LocalStack) {
  return new SQSClient({ endpoint: queuesEndpoint, region: aws.region, credentials: aws });
}

/** Writes an item with an event, whose record passes the filter of `streamSource`. */
async function putEvent(stack: LocalStack, pk: string) {
  await put(stack, { pk: { S: pk }, event: { M: { id: { S: pk } } } });
}

async function put(stack: LocalStack, Item: Record<string, AttributeValue>) {
  await databaseOf(stack).send(new PutItemCommand({ TableName: "Fixture-Table", Item }));
}

test("Stream records that pass the filter arrive in order; a poison record is isolated, and can be read from its dead letter", async () => {
  const { stack, lines } = await start(await temporaryFolder(), consumer, {
    Table: table,
    Failed: { Type: "AWS::SQS::Queue", Properties: {} },
    Outbox: streamSource({
      BatchSize: 10,
      MaximumBatchingWindowInSeconds: 1,
      BisectBatchOnFunctionError: true,
      MaximumRetryAttempts: 1,
      FunctionResponseTypes: ["ReportBatchItemFailures"],
      DestinationConfig: { OnFailure: { Destination: { "Fn::GetAtt": ["Failed", "Arn"] } } },
    }),
  });
  await putEvent(stack, "one");
  await put(stack, { pk: { S: "silent" } });
  await putEvent(stack, "poison");
  await putEvent(stack, "sick");
  await putEvent(stack, "last");

  expect(await lines.first(6, "batch ")).toEqual([
    "one,poison,sick,last",
    "one,poison",
    "one",
    "poison",
    "poison",
    "sick,last",
  ]);
  expect((await lines.first(7, "batch ")).at(-1)).toBe("sick,last");

  const { Messages = [] } = await queuesOf(stack).send(
    new ReceiveMessageCommand({
      QueueUrl: `${stack.queuesEndpoint}/000000000000/Fixture-Failed`,
      WaitTimeSeconds: 5,
    }),
  );
  const letter = JSON.parse(Messages[0]?.Body ?? "");
  expect(letter).toMatchObject({
    requestContext: {
      functionArn: "arn:aws:lambda:us-east-1:000000000000:function:Consume",
      condition: "RetryAttemptsExhausted",
      approximateInvokeCount: 2,
    },
    responseContext: { functionError: "Unhandled" },
    DDBStreamBatchInfo: { batchSize: 1, startSequenceNumber: expect.any(String) },
  });
  const { dynamoDbEndpoint: endpoint, aws } = stack;
  const streams = new DynamoDBStreamsClient({ endpoint, region: aws.region, credentials: aws });
  const records = await readFailedBatch(streams, FailedBatch.parse(letter), () => true);
  expect(records.map(({ dynamodb }) => dynamodb?.Keys?.["pk"]?.S)).toEqual(["poison"]);
});

test("Stream records unconsumed before a stop arrive after the next start, none of them twice", async () => {
  const folder = await temporaryFolder();
  const first = await start(folder, consumer, { Table: table, Outbox: streamSource({}) });
  await putEvent(first.stack, "before");
  await first.lines.first(1, "batch ");
  await first.stack.stop();

  // The second start has no event source: what is written stays in the stream.
  const second = await start(folder, consumer, { Table: table });
  await putEvent(second.stack, "between");
  await second.stack.stop();

  const third = await start(folder, consumer, { Table: table, Outbox: streamSource({}) });
  await putEvent(third.stack, "after");
  expect((await third.lines.first(1, "batch ")).join(",")).toMatch(/^between(,after)?$/);
});

test("Messages reported as failed are received again, then dead-lettered; the others are deleted", async () => {
  const { stack, lines } = await start(
    await temporaryFolder(),
    `export const handler = async ({ Records }) => {
      for (const { body, attributes } of Records) console.log("message " + body + " " + attributes.ApproximateReceiveCount);
      return { batchItemFailures: Records.filter(({ body }) => body === "bad").map(({ messageId }) => ({ itemIdentifier: messageId })) };
    };`,
    {
      Dead: { Type: "AWS::SQS::Queue", Properties: {} },
      Work: {
        Type: "AWS::SQS::Queue",
        Properties: {
          VisibilityTimeout: 1,
          RedrivePolicy: { deadLetterTargetArn: { "Fn::GetAtt": ["Dead", "Arn"] }, maxReceiveCount: 2 },
        },
      },
      WorkSource: {
        Type: "AWS::Lambda::EventSourceMapping",
        Properties: {
          FunctionName: { Ref: "Consume" },
          EventSourceArn: { "Fn::GetAtt": ["Work", "Arn"] },
          BatchSize: 10,
          FunctionResponseTypes: ["ReportBatchItemFailures"],
          ScalingConfig: { MaximumConcurrency: 2 },
        },
      },
    },
  );
  const sqs = queuesOf(stack);
  const urlOf = (name: string) => `${stack.queuesEndpoint}/000000000000/Fixture-${name}`;
  for (const MessageBody of ["good", "bad"]) {
    await sqs.send(new SendMessageCommand({ QueueUrl: urlOf("Work"), MessageBody }));
  }
  const { Messages = [] } = await sqs.send(
    new ReceiveMessageCommand({ QueueUrl: urlOf("Dead"), WaitTimeSeconds: 20 }),
  );
  expect(Messages.map(({ Body }) => Body)).toEqual(["bad"]);
  expect([...(await lines.first(3, "message "))].sort()).toEqual(["bad 1", "bad 2", "good 1"]);
});

test("A busy queue delays no other queue of the same function", async () => {
  const queueWithSource = (name: string) => ({
    [name]: { Type: "AWS::SQS::Queue", Properties: { VisibilityTimeout: 120 } },
    [`${name}Source`]: {
      Type: "AWS::Lambda::EventSourceMapping",
      Properties: {
        FunctionName: { Ref: "Consume" },
        EventSourceArn: { "Fn::GetAtt": [name, "Arn"] },
        BatchSize: 1,
        ScalingConfig: { MaximumConcurrency: 10 },
      },
    },
  });
  const folder = await temporaryFolder();
  const { stack, lines } = await start(
    folder,
    `import { existsSync } from "node:fs";
    import { setTimeout } from "node:timers/promises";
    export const handler = async ({ Records: [{ body }] }) => {
      console.log("began " + body);
      while (body === "hang" && !existsSync("${folder}/released")) await setTimeout(20);
    };`,
    { ...queueWithSource("Slow"), ...queueWithSource("Fast") },
    { Timeout: 120 },
  );
  const send = (name: string, MessageBody: string) =>
    queuesOf(stack).send(
      new SendMessageCommand({
        QueueUrl: `${stack.queuesEndpoint}/000000000000/Fixture-${name}`,
        MessageBody,
      }),
    );
  await Promise.all(Array.from({ length: 10 }, () => send("Slow", "hang")));
  await lines.first(10, "began ");

  await send("Fast", "quick");

  expect((await lines.first(11, "began ")).at(-1)).toBe("quick");
  expect(lines.all.filter((line) => line.includes("timed out"))).toEqual([]);
  await writeFile(join(folder, "released"), "");
});

describe("a function that sends to the queue that invokes it", () => {
  /** Sends the number it is given, plus one, up to 18, by the SDK as it is deployed. */
  const looping = `import { SendMessageCommand, SQSClient } from "${import.meta.resolve("@aws-sdk/client-sqs")}";
    const sqs = new SQSClient();
    export const handler = async ({ Records: [{ body }] }) => {
      console.log("round " + body);
      if (body === "18") return;
      await sqs.send(new SendMessageCommand({ QueueUrl: process.env.QUEUE_URL, MessageBody: String(Number(body) + 1) }));
    };`;
  const rounds = (count: number) => Array.from({ length: count }, (_, index) => String(index + 1));

  async function startLoop(properties: Record<string, unknown>) {
    const stopped = Promise.withResolvers<unknown>();
    const { stack, lines } = await start(
      await temporaryFolder(),
      looping,
      {
        Loop: { Type: "AWS::SQS::Queue", Properties: { VisibilityTimeout: 60 } },
        Source: {
          Type: "AWS::Lambda::EventSourceMapping",
          Properties: {
            FunctionName: { Ref: "Consume" },
            EventSourceArn: { "Fn::GetAtt": ["Loop", "Arn"] },
          },
        },
      },
      { Environment: { Variables: { QUEUE_URL: { Ref: "Loop" } } }, ...properties },
      stopped.resolve,
    );
    const QueueUrl = `${stack.queuesEndpoint}/000000000000/Fixture-Loop`;
    const first = new SendMessageCommand({ QueueUrl, MessageBody: "1" });
    await queuesOf(stack).send(first);
    return { lines, stopped: stopped.promise };
  }

  test("is stopped after 16 rounds, as by Lambda, and the developer sees why", async () => {
    const { lines, stopped } = await startLoop({});

    expect(String(await stopped)).toContain("recursive loop");
    expect(await lines.first(16, "round ")).toEqual(rounds(16));
  });

  test("continues if its template allows the loop", async () => {
    const { lines } = await startLoop({ RecursiveLoop: "Allow" });

    expect(await lines.first(18, "round ")).toEqual(rounds(18));
  });
});
