import { setImmediate } from "node:timers/promises";
import { expect, onTestFinished, test } from "vitest";
import type { QueueSource } from "../../../local/event-sources/definition.ts";
import { QueuePoller } from "../../../local/event-sources/queue-poller.ts";
import { toQueueRecord } from "../../../local/event-sources/queue-record.ts";
import { parsePattern } from "../../../local/event-sources/record-filter.ts";
import type { EventSourceServices } from "../../../local/event-sources/services.ts";
import type { InvocationResult } from "../../../local/lambda/execution-environment.ts";
import type { FunctionDefinition } from "../../../local/lambda/function-definition.ts";
import { DirectQueues } from "../../../local/sqs/direct-queues.ts";
import { LongPolls } from "../../../local/sqs/long-polls.ts";
import { anEngine } from "../sqs/an-engine.ts";

const SOURCE: QueueSource = {
  kind: "queue",
  id: "Source",
  functionName: "consume",
  batchSize: 10,
  batchingWindowSeconds: 0,
  reportsItemFailures: false,
  filter: () => true,
  queueArn: "arn:aws:sqs:us-east-1:000000000000:work",
  maximumConcurrency: 1,
};

/** Sends messages to a queue, and invokes a function with them. An error is thrown instead. */
async function poll(
  rules: Partial<QueueSource>,
  bodies: readonly string[],
  result: InvocationResult | Error,
  onFault = (error: unknown): void => expect.unreachable(String(error)),
) {
  const { engine, queue } = anEngine({ now: Date.now });
  const { url, send } = await queue("work");
  for (const body of bodies) await send(body);
  const invoked: string[] = [];
  const sizes: number[] = [];
  const services = {
    queues: new DirectQueues(engine, new LongPolls(engine)),
    queuesEndpoint: "http://sqs",
    onFault,
  } as unknown as EventSourceServices;
  const poller = new QueuePoller(
    { ...SOURCE, ...rules },
    {
      definition: { name: "consume", arn: "arn:function", allowsRecursion: false } as FunctionDefinition,
      async invoke(payload) {
        const records: { body: string }[] = JSON.parse(payload).Records;
        sizes.push(records.length);
        invoked.push(...records.map(({ body }) => body));
        if (result instanceof Error) throw result;
        return result;
      },
    },
    services,
  );
  onTestFinished(() => poller.stop());
  const left = () => engine.messagesIn(url).map(({ body }) => body);
  return { poller, invoked, sizes, left };
}

test("Messages that a source's filter excludes are deleted without an invocation", async () => {
  const filter = parsePattern(['{"body":{"kind":["wanted"]}}']);
  const bodies = ['{"kind":"wanted"}', '{"kind":"other"}', "no JSON"];

  const { invoked, left } = await poll({ filter }, bodies, { payload: "null" });

  await expect.poll(left).toEqual([]);
  expect(invoked).toEqual(['{"kind":"wanted"}']);
});

test("A batch has as many messages as its source allows, or those that arrive in its batching window", async () => {
  const bodies = Array.from({ length: 15 }, (_, index) => String(index));

  const { invoked, sizes } = await poll({ batchSize: 12, batchingWindowSeconds: 1 }, bodies, {
    payload: "null",
  });

  await expect.poll(() => sizes, { timeout: 10_000 }).toEqual([12, 3]);
  expect(invoked).toEqual(bodies);
});

test("A poller that waits for messages ends as soon as it is stopped", async () => {
  const { poller } = await poll({}, [], { payload: "null" });

  expect(await Promise.race([poller.stop(), setImmediate("waits")])).toBeUndefined();
});

test("A function gets a message's attributes and its queue", () => {
  const MessageAttributes = {
    text: { DataType: "String", StringValue: "a" },
    bytes: { DataType: "Binary", BinaryValue: "AQI=" },
  };
  const message = { MessageId: "1", ReceiptHandle: "handle", Body: "body", MD5OfBody: "digest" };

  expect(toQueueRecord({ ...message, MessageAttributes }, SOURCE.queueArn)).toEqual({
    messageId: "1",
    receiptHandle: "handle",
    body: "body",
    attributes: {},
    messageAttributes: {
      text: { stringValue: "a", stringListValues: [], binaryListValues: [], dataType: "String" },
      bytes: { binaryValue: "AQI=", stringListValues: [], binaryListValues: [], dataType: "Binary" },
    },
    md5OfBody: "digest",
    eventSource: "aws:sqs",
    eventSourceARN: SOURCE.queueArn,
    awsRegion: "us-east-1",
  });
});

test("A report of failed messages is ignored unless the source asks for it", async () => {
  const payload = JSON.stringify({ batchItemFailures: [{ itemIdentifier: "unknown" }] });

  const { invoked, left } = await poll({}, ["1"], { payload });

  await expect.poll(left).toEqual([]);
  expect(invoked).toEqual(["1"]);
});

test.each<[string, InvocationResult]>([
  ["fails", { payload: "{}", functionError: "Unhandled" }],
  ["returns a malformed report", { payload: '{"batchItemFailures":["1"]}' }],
  ["reports a message outside the batch", { payload: '{"batchItemFailures":[{"itemIdentifier":"1"}]}' }],
])("All messages of a batch stay in the queue if the function %s", async (_, result) => {
  const { poller, invoked, left } = await poll({ reportsItemFailures: true }, ["1", "2"], result);

  await expect.poll(() => invoked).toEqual(["1", "2"]);
  await poller.stop();
  expect(left()).toEqual(["1", "2"]);
});

test("A fault amid a delivery is reported, and its messages stay in the queue", async () => {
  const faults: unknown[] = [];
  const fault = new Error("The disk is full.");

  const { poller, left } = await poll({}, ["1"], fault, (error) => faults.push(error));

  await expect.poll(() => faults).toEqual([fault]);
  await poller.stop();
  expect(left()).toEqual(["1"]);
});
