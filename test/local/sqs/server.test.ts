import { spawn } from "node:child_process";
import { once } from "node:events";
import {
  BatchEntryIdsNotDistinct,
  BatchRequestTooLong,
  ChangeMessageVisibilityCommand,
  CreateQueueCommand,
  DeleteMessageBatchCommand,
  DeleteMessageCommand,
  EmptyBatchRequest,
  GetQueueAttributesCommand,
  GetQueueUrlCommand,
  InvalidAttributeName,
  InvalidAttributeValue,
  InvalidBatchEntryId,
  InvalidMessageContents,
  ListQueuesCommand,
  MessageNotInflight,
  QueueDoesNotExist,
  QueueNameExists,
  ReceiptHandleIsInvalid,
  ReceiveMessageCommand,
  SendMessageBatchCommand,
  SendMessageCommand,
  SetQueueAttributesCommand,
  SQSClient,
  SQSServiceException,
  TooManyEntriesInBatchRequest,
  UnsupportedOperation,
} from "@aws-sdk/client-sqs";
import { beforeEach, describe, expect, onTestFinished, test, vi } from "vitest";
import { LongPolls } from "../../../local/sqs/long-polls.ts";
import { startSqs } from "../../../local/sqs/server.ts";
import { temporaryFolder } from "../../builders/temporary-folder.ts";

function clientOf(endpoint: string): SQSClient {
  const credentials = { accessKeyId: "local", secretAccessKey: "local" };
  const client = new SQSClient({ endpoint, region: "us-east-1", credentials, maxAttempts: 1 });
  onTestFinished(() => client.destroy());
  return client;
}

async function start(dataDirectory: string) {
  const faults: unknown[] = [];
  const server = await startSqs({ dataDirectory, onFault: (error) => faults.push(error) });
  onTestFinished(async () => {
    await server.stop();
    expect(faults).toEqual([]);
  });
  return { ...server, sqs: clientOf(server.endpoint) };
}

let sqs: SQSClient;
let QueueUrl: string | undefined;

beforeEach(async () => {
  ({ sqs } = await start(await temporaryFolder()));
  ({ QueueUrl } = await sqs.send(new CreateQueueCommand({ QueueName: "jobs" })));
});

const send = (MessageBody: string, more: object = {}) =>
  sqs.send(new SendMessageCommand({ QueueUrl, MessageBody, ...more }));
async function receive(more: object = {}) {
  const { Messages = [] } = await sqs.send(
    new ReceiveMessageCommand({ QueueUrl, MaxNumberOfMessages: 10, ...more }),
  );
  return Messages;
}

test("The SDK creates, finds and configures queues of the local SQS", async () => {
  expect(await sqs.send(new GetQueueUrlCommand({ QueueName: "jobs" }))).toMatchObject({ QueueUrl });
  expect(await sqs.send(new ListQueuesCommand({}))).toMatchObject({ QueueUrls: [QueueUrl] });
  await sqs.send(new SetQueueAttributesCommand({ QueueUrl, Attributes: { DelaySeconds: "7" } }));
  expect(
    await sqs.send(new GetQueueAttributesCommand({ QueueUrl, AttributeNames: ["DelaySeconds"] })),
  ).toMatchObject({ Attributes: { DelaySeconds: "7" } });
});

test("The SDK sends, receives and deletes messages with binary attributes at the local SQS", async () => {
  const MessageAttributes = {
    note: { DataType: "String", StringValue: "größe \u{1f600}" },
    bytes: { DataType: "Binary", BinaryValue: Uint8Array.of(0, 255) },
  };
  const { MessageId } = await send("body \u{1f600}", { MessageAttributes });
  await sqs.send(
    new SendMessageBatchCommand({ QueueUrl, Entries: [{ Id: "second", MessageBody: "second" }] }),
  );

  const received = await receive({ MessageAttributeNames: ["All"] });
  expect(received).toMatchObject([{ MessageId, Body: "body \u{1f600}" }, { Body: "second" }]);
  expect(received[0]?.MessageAttributes).toEqual(MessageAttributes);
  const [first, second] = received.map(({ ReceiptHandle }) => ReceiptHandle);
  await sqs.send(
    new ChangeMessageVisibilityCommand({ QueueUrl, ReceiptHandle: first, VisibilityTimeout: 0 }),
  );
  expect(await receive()).toMatchObject([{ MessageId }]);
  await sqs.send(new DeleteMessageCommand({ QueueUrl, ReceiptHandle: second }));
  expect(
    await sqs.send(
      new DeleteMessageBatchCommand({ QueueUrl, Entries: [{ Id: "one", ReceiptHandle: first }] }),
    ),
  ).toMatchObject({ Successful: [{ Id: "one" }], Failed: [] });
});

test.each([
  { expected: BatchEntryIdsNotDistinct, act: () => sendAll([entry("a"), entry("a")]) },
  { expected: BatchRequestTooLong, act: () => sendAll([entry("a", "x".repeat(1_048_576)), entry("b")]) },
  { expected: EmptyBatchRequest, act: () => sendAll([]) },
  { expected: InvalidAttributeName, act: () => make({ Colour: "red" }) },
  { expected: InvalidAttributeValue, act: () => make({ DelaySeconds: "901" }) },
  { expected: InvalidBatchEntryId, act: () => sendAll([entry("!")]) },
  { expected: InvalidMessageContents, act: () => send("\u0000") },
  { expected: MessageNotInflight, act: async () => change((await receiveVisible()) ?? "") },
  { expected: QueueDoesNotExist, act: () => sqs.send(new GetQueueUrlCommand({ QueueName: "none" })) },
  { expected: QueueNameExists, act: () => make({ DelaySeconds: "1" }, "jobs") },
  { expected: ReceiptHandleIsInvalid, act: () => change("no handle") },
  {
    expected: TooManyEntriesInBatchRequest,
    act: () => sendAll("abcdefghijk".split("").map((Id) => entry(Id))),
  },
  { expected: UnsupportedOperation, act: () => make({ FifoQueue: "true" }) },
])("The SDK throws $expected.name for an error of the local SQS", async ({ expected, act }) => {
  await expect(act()).rejects.toBeInstanceOf(expected);
});

test("An SQS error without an exception class in the SDK has its code as the name", async () => {
  const error = await send("x", { DelaySeconds: 901 }).catch((thrown: unknown) => thrown);
  expect(error).toBeInstanceOf(SQSServiceException);
  expect(error).toMatchObject({ name: "InvalidParameterValue", $metadata: { httpStatusCode: 400 } });
});

const entry = (Id: string, MessageBody = "x") => ({ Id, MessageBody });
const sendAll = (Entries: { Id: string; MessageBody: string }[]) =>
  sqs.send(new SendMessageBatchCommand({ QueueUrl, Entries }));
const make = (Attributes: Record<string, string>, QueueName = "made") =>
  sqs.send(new CreateQueueCommand({ QueueName, Attributes }));
const change = (ReceiptHandle: string) =>
  sqs.send(new ChangeMessageVisibilityCommand({ QueueUrl, ReceiptHandle, VisibilityTimeout: 1 }));
async function receiveVisible() {
  await send("x");
  const [message] = await receive({ VisibilityTimeout: 0 });
  return message?.ReceiptHandle;
}

test("An SQS request that is not JSON is refused", async () => {
  const response = await fetch(new URL("/", QueueUrl), {
    method: "POST",
    headers: { "X-Amz-Target": "AmazonSQS.ListQueues" },
    body: "{",
  });
  expect([response.status, await response.text()]).toEqual([
    400,
    expect.stringContaining("SerializationException"),
  ]);
});

test("An SQS message has the trace header of the request that sent it", async () => {
  sqs.middlewareStack.add(
    (next) => (args) => {
      Object.assign((args.request as { headers: object }).headers, { "X-Amzn-Trace-Id": "Root=header" });
      return next(args);
    },
    { step: "build" },
  );
  await send("x");
  const [message] = await receive({ MessageSystemAttributeNames: ["AWSTraceHeader"] });
  expect(message?.Attributes).toEqual({ AWSTraceHeader: "Root=header" });
});

describe("a long poll", () => {
  async function timed<Result>(work: Promise<Result>): Promise<[Result, number]> {
    const startedAt = performance.now();
    return [await work, performance.now() - startedAt];
  }

  /** Follows receives from now on: one waits as soon as it is called, if there is no message. */
  function followed() {
    const seen = vi.spyOn(LongPolls.prototype, "receive");
    onTestFinished(() => seen.mockRestore());
    return {
      waiting: (count: number) =>
        vi.waitFor(() => expect(seen).toHaveBeenCalledTimes(count), { interval: 5, timeout: 10_000 }),
      /** Waits until the server knows that the caller of the first one is gone. */
      disconnected: () =>
        vi.waitFor(() => expect(seen.mock.calls[0]?.[1]()).toBe(true), { interval: 5, timeout: 10_000 }),
    };
  }

  test("returns as soon as a message is sent, and no two polls get the same message", async () => {
    const { waiting } = followed();
    const polls = [receive({ WaitTimeSeconds: 20 }), receive({ WaitTimeSeconds: 20 })];
    await waiting(2);
    await send("one");
    expect(await Promise.race(polls)).toMatchObject([{ Body: "one" }]);
    await send("two");
    const received = (await Promise.all(polls)).flat().map(({ Body }) => Body);
    expect(received.sort()).toEqual(["one", "two"]);
  });

  test("returns at the end of a delay or visibility timeout, or empty at the end of its wait time", async () => {
    const empty = await make({ ReceiveMessageWaitTimeSeconds: "1" });
    await send("in flight");
    await receive({ VisibilityTimeout: 1 });
    await send("delayed", { DelaySeconds: 1 });
    const [[first, second], ms] = await timed(
      Promise.all([
        receive({ WaitTimeSeconds: 20, MaxNumberOfMessages: 1 }),
        receive({ WaitTimeSeconds: 20, MaxNumberOfMessages: 1 }),
      ]),
    );
    expect(
      [first, second]
        .flat()
        .map(({ Body }) => Body)
        .sort(),
    ).toEqual(["delayed", "in flight"]);
    expect(ms).toBeGreaterThan(900);
    expect(ms).toBeLessThan(10_000);
    // Not at the same time: the end of one receive lets all others check again.
    expect(await receive({ QueueUrl: empty.QueueUrl })).toEqual([]);
  });

  test("of a dead-letter queue returns as soon as a receive moves a message there", async () => {
    const policy = { deadLetterTargetArn: "arn:aws:sqs:us-east-1:000000000000:jobs", maxReceiveCount: 1 };
    const source = await make({ RedrivePolicy: JSON.stringify(policy) });
    const poll = receive({ WaitTimeSeconds: 20 });
    await sqs.send(new SendMessageCommand({ QueueUrl: source.QueueUrl, MessageBody: "poison" }));
    const again = { QueueUrl: source.QueueUrl, VisibilityTimeout: 0, WaitTimeSeconds: 20 };
    await receive(again);
    // It waits on, in a queue that is empty now.
    receive(again).catch(() => {});
    const [messages, ms] = await timed(poll);
    expect(messages).toMatchObject([{ Body: "poison" }]);
    expect(ms).toBeLessThan(10_000);
  });

  test("whose caller has disconnected receives no message", async () => {
    const { waiting, disconnected } = followed();
    const hangUp = new AbortController();
    const poll = sqs.send(new ReceiveMessageCommand({ QueueUrl, WaitTimeSeconds: 20 }), {
      abortSignal: hangUp.signal,
    });
    await waiting(1);
    hangUp.abort();
    await expect(poll).rejects.toThrow();
    await disconnected();
    await send("work");
    expect((await receive()).map(({ Body }) => Body)).toEqual(["work"]);
  });

  test("returns when the server stops", async () => {
    const other = await startSqs({ dataDirectory: await temporaryFolder(), onFault: () => {} });
    const client = clientOf(other.endpoint);
    const made = await client.send(new CreateQueueCommand({ QueueName: "jobs" }));
    const { waiting } = followed();
    const poll = client.send(new ReceiveMessageCommand({ QueueUrl: made.QueueUrl, WaitTimeSeconds: 20 }));
    await waiting(1);
    const [, ms] = await timed(other.stop());
    expect((await poll).Messages).toBeUndefined();
    expect(ms).toBeLessThan(10_000);
  });
});

/** A server in a process of its own, which can be killed. */
async function startProcess(dataDirectory: string) {
  const server = import.meta.resolve("../../../local/sqs/server.ts");
  const options = `{ dataDirectory: ${JSON.stringify(dataDirectory)}, onFault: console.error }`;
  const program = `import { startSqs } from "${server}"; console.log((await startSqs(${options})).endpoint);`;
  const child = spawn(process.execPath, ["--input-type=module", "--eval", program], {
    stdio: ["ignore", "pipe", "inherit"],
  });
  onTestFinished(() => void child.kill("SIGKILL"));
  const [endpoint] = await once(child.stdout, "data");
  return {
    sqs: clientOf(String(endpoint).trim()),
    async kill() {
      child.kill("SIGKILL");
      await once(child, "exit");
    },
  };
}

test("A killed SQS server loses no acknowledged message, and in-flight ones are visible again", async () => {
  const folder = await temporaryFolder();
  const { sqs: first, kill } = await startProcess(folder);
  sqs = first;
  const policy = { deadLetterTargetArn: "arn:aws:sqs:us-east-1:000000000000:dead", maxReceiveCount: 2 };
  const dead = await make({}, "dead");
  const jobs = await make({ RedrivePolicy: JSON.stringify(policy) }, "jobs");
  ({ QueueUrl } = jobs);
  await sqs.send(new SetQueueAttributesCommand({ QueueUrl, Attributes: { MaximumMessageSize: "2048" } }));
  const moved = await send("moved");
  for (const VisibilityTimeout of [0, 0, 0]) await receive({ VisibilityTimeout });
  const inFlight = await send("in flight");
  await receive();
  await send("deleted");
  const [{ ReceiptHandle } = {}] = await receive();
  await sqs.send(new DeleteMessageCommand({ QueueUrl, ReceiptHandle }));
  await send("delayed", { DelaySeconds: 900 });
  await send("waiting", {
    MessageGroupId: "acme",
    MessageSystemAttributes: { AWSTraceHeader: { DataType: "String", StringValue: "Root=1" } },
  });
  await kill();

  ({ sqs } = await start(folder));
  const received = await receive({ MessageSystemAttributeNames: ["All"] });
  expect(received.sort((left, right) => (left.Body ?? "").localeCompare(right.Body ?? ""))).toMatchObject([
    { Body: "in flight", MessageId: inFlight.MessageId, Attributes: { ApproximateReceiveCount: "2" } },
    { Body: "waiting", Attributes: { MessageGroupId: "acme", AWSTraceHeader: "Root=1" } },
  ]);
  const counts = new GetQueueAttributesCommand({ QueueUrl, AttributeNames: ["All"] });
  expect((await sqs.send(counts)).Attributes).toMatchObject({
    ApproximateNumberOfMessagesDelayed: "1",
    MaximumMessageSize: "2048",
    RedrivePolicy: JSON.stringify(policy),
  });
  ({ QueueUrl } = dead);
  expect(await receive()).toMatchObject([{ Body: "moved", MessageId: moved.MessageId }]);
});
