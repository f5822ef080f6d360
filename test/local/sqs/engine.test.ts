import { describe, expect, test } from "vitest";
import { NO_STORE } from "../../../local/sqs/message-store.ts";
import { parseRequest, ReceiveMessageRequest } from "../../../local/sqs/requests.ts";
import { type AQueue, anEngine, type BatchResponse, theMessageOf } from "./an-engine.ts";

const code = (value: string) => expect.objectContaining({ code: value });
const redriveTo = (deadLetterTargetArn: string, maxReceiveCount: number) =>
  JSON.stringify({ deadLetterTargetArn, maxReceiveCount });

describe("a delay", () => {
  test("of a message, or else of its queue, holds the message back", async () => {
    const { queue, pass } = anEngine();
    const jobs = await queue("jobs", { DelaySeconds: "5" });
    await jobs.send("the queue's");
    await jobs.send("its own", { DelaySeconds: 10 });
    await jobs.send("none", { DelaySeconds: 0 });

    expect(await jobs.bodies()).toEqual(["none"]);
    pass(5);
    expect(await jobs.bodies()).toEqual(["the queue's"]);
    pass(5);
    expect(await jobs.bodies()).toEqual(["its own"]);
  });
});

describe("a full disk", () => {
  test("fails a receive, whose messages are all received again after the visibility timeout", async () => {
    let isFull = false;
    const saveMessage = () => {
      if (isFull) throw new Error("database or disk is full");
    };
    const { queue, pass } = anEngine({ store: { ...NO_STORE, saveMessage } });
    const deadLetters = await queue("dead");
    const RedrivePolicy = JSON.stringify({ deadLetterTargetArn: deadLetters.arn, maxReceiveCount: 1 });
    const jobs = await queue("jobs", { RedrivePolicy });
    await jobs.send("received before");
    await jobs.receive();
    for (const body of ["first", "second"]) await jobs.send(body);
    const others = await queue("others");
    for (const body of ["third", "fourth"]) await others.send(body);
    pass(30);

    isFull = true;
    await expect(jobs.receive()).rejects.toThrow("full");
    await expect(others.receive()).rejects.toThrow("full");
    isFull = false;
    pass(30);

    expect([...(await jobs.bodies()), ...(await deadLetters.bodies())].sort()).toEqual([
      "first",
      "received before",
      "second",
    ]);
    expect((await others.bodies()).sort()).toEqual(["fourth", "third"]);
  });
});

describe("a visibility timeout", () => {
  test("hides a received message, which returns with a new handle and a higher receive count", async () => {
    const { queue, pass, now } = anEngine();
    const jobs = await queue("jobs");
    const sentAt = String(now());
    const { MessageId } = await jobs.send("work");
    pass(1);
    const firstReceivedAt = String(now());
    const first = await theMessageOf(jobs);
    expect(first).toMatchObject({
      MessageId,
      Attributes: { ApproximateReceiveCount: "1", SentTimestamp: sentAt },
    });

    pass(29.999);
    expect(await jobs.receive()).toEqual([]);
    pass(0.001);
    const second = await theMessageOf(jobs);
    expect(second).toMatchObject({
      MessageId,
      Attributes: {
        ApproximateReceiveCount: "2",
        SentTimestamp: sentAt,
        ApproximateFirstReceiveTimestamp: firstReceivedAt,
      },
    });
    expect(second.ReceiptHandle).not.toBe(first.ReceiptHandle);
  });

  test("of a receive takes precedence over the queue's", async () => {
    const { queue, pass } = anEngine();
    const jobs = await queue("jobs", { VisibilityTimeout: "100" });
    await jobs.send("work");
    await jobs.receive({ VisibilityTimeout: 5 });
    pass(5);
    expect(await jobs.bodies()).toEqual(["work"]);
    pass(99);
    expect(await jobs.bodies()).toEqual([]);
  });

  test("of zero keeps a message visible, and one receive returns it once", async () => {
    const jobs = await anEngine().queue("jobs");
    await jobs.send("work");
    expect(await jobs.bodies({ VisibilityTimeout: 0 })).toEqual(["work"]);
    expect(await jobs.bodies()).toEqual(["work"]);
  });

  test("that is changed starts at the change", async () => {
    const { queue, pass } = anEngine();
    const jobs = await queue("jobs");
    await jobs.send("work");
    const { ReceiptHandle } = await theMessageOf(jobs);
    pass(20);
    await jobs.changeVisibility(ReceiptHandle, 20);
    pass(19);
    expect(await jobs.receive()).toEqual([]);
    await jobs.changeVisibility(ReceiptHandle, 0);
    expect(await jobs.bodies()).toEqual(["work"]);
  });

  test("ends 12 hours after the receive at the latest", async () => {
    const { queue, pass } = anEngine();
    const jobs = await queue("jobs");
    await jobs.send("work");
    const { ReceiptHandle } = await theMessageOf(jobs);
    pass(10);
    await expect(jobs.changeVisibility(ReceiptHandle, 43_191)).rejects.toEqual(code("InvalidParameterValue"));
    await jobs.changeVisibility(ReceiptHandle, 43_190);
  });

  test("can only be changed for messages in flight", async () => {
    const { queue, pass } = anEngine();
    const jobs = await queue("jobs");
    await jobs.send("work");
    const { ReceiptHandle } = await theMessageOf(jobs);
    pass(30);
    await expect(jobs.changeVisibility(ReceiptHandle, 5)).rejects.toEqual(code("MessageNotInflight"));
    await expect(jobs.changeVisibility("no handle", 5)).rejects.toEqual(code("ReceiptHandleIsInvalid"));
  });
});

describe("a deleted message", () => {
  test("is gone, whether in flight or visible again", async () => {
    const { queue, pass } = anEngine();
    const jobs = await queue("jobs");
    await jobs.send("in flight");
    await jobs.delete((await theMessageOf(jobs)).ReceiptHandle);
    await jobs.send("visible");
    const { ReceiptHandle } = await theMessageOf(jobs);
    pass(30);
    await jobs.delete(ReceiptHandle);
    expect(await jobs.attributes()).toMatchObject({
      ApproximateNumberOfMessages: "0",
      ApproximateNumberOfMessagesNotVisible: "0",
    });
  });

  test("must be given by the handle of its latest receive, not by an earlier one", async () => {
    const { queue, pass } = anEngine();
    const jobs = await queue("jobs", { VisibilityTimeout: "1" });
    await jobs.send("work");
    const earlier = await theMessageOf(jobs);
    pass(1);
    await jobs.receive();
    await jobs.delete(earlier.ReceiptHandle);
    pass(1);
    expect(await jobs.bodies()).toEqual(["work"]);
    await expect(jobs.delete("no handle")).rejects.toEqual(code("ReceiptHandleIsInvalid"));
  });
});

describe("a redrive policy", () => {
  async function aQueueWithDeadLetters() {
    const all = anEngine();
    const dead = await all.queue("dead", { MessageRetentionPeriod: "600" });
    const policy = JSON.stringify({ deadLetterTargetArn: dead.arn, maxReceiveCount: "2" });
    return { ...all, dead, jobs: await all.queue("jobs", { VisibilityTimeout: "1", RedrivePolicy: policy }) };
  }

  test("moves a message at the maximum receive count, with its id, age and count", async () => {
    const { jobs, dead, pass, now } = await aQueueWithDeadLetters();
    const SentTimestamp = String(now());
    const { MessageId } = await jobs.send("poison", { MessageGroupId: "acme" });
    await jobs.send("good", { DelaySeconds: 2 });
    for (const round of ["1", "2"]) {
      expect((await theMessageOf(jobs)).Attributes).toMatchObject({ ApproximateReceiveCount: round });
      pass(1);
    }

    expect(await jobs.bodies()).toEqual(["good"]);
    expect(await theMessageOf(dead)).toMatchObject({
      MessageId,
      Body: "poison",
      Attributes: {
        SentTimestamp,
        MessageGroupId: "acme",
        ApproximateReceiveCount: "3",
        DeadLetterQueueSourceArn: jobs.arn,
      },
    });
  });

  test("does not restart the retention period of a message in the dead-letter queue", async () => {
    const { jobs, dead, pass } = await aQueueWithDeadLetters();
    await jobs.send("poison");
    await jobs.receive();
    pass(1);
    await jobs.receive();
    pass(500);
    await jobs.receive();
    pass(99);
    expect(await dead.bodies({ VisibilityTimeout: 0 })).toEqual(["poison"]);
    pass(1);
    expect(await dead.bodies()).toEqual([]);
  });

  test("that is removed lets a message be received without limit", async () => {
    const { jobs, dead, pass, call } = await aQueueWithDeadLetters();
    await call("SetQueueAttributes", { QueueUrl: jobs.url, Attributes: { RedrivePolicy: "" } });
    await jobs.send("stubborn");
    for (let receive = 0; receive < 5; receive += 1) {
      expect(await jobs.bodies()).toEqual(["stubborn"]);
      pass(1);
    }
    expect(await dead.bodies()).toEqual([]);
  });
});

test("A message is deleted after the queue's current retention period, even in flight", async () => {
  const { queue, pass, call } = anEngine();
  const jobs = await queue("jobs", { MessageRetentionPeriod: "1000" });
  await jobs.send("in flight");
  await jobs.receive();
  await jobs.send("waiting");
  pass(61);
  expect(await jobs.attributes()).toMatchObject({ ApproximateNumberOfMessages: "2" });
  await call("SetQueueAttributes", { QueueUrl: jobs.url, Attributes: { MessageRetentionPeriod: "60" } });
  expect(await jobs.attributes()).toMatchObject({
    ApproximateNumberOfMessages: "0",
    ApproximateNumberOfMessagesNotVisible: "0",
  });
});

test("Messages are counted as visible, in flight and delayed", async () => {
  const { queue, pass } = anEngine();
  const jobs = await queue("jobs");
  for (const body of ["a", "b", "c"]) await jobs.send(body);
  await jobs.send("later", { DelaySeconds: 10 });
  await jobs.receive({ MaxNumberOfMessages: 1 });
  expect(await jobs.attributes()).toMatchObject({
    ApproximateNumberOfMessages: "2",
    ApproximateNumberOfMessagesNotVisible: "1",
    ApproximateNumberOfMessagesDelayed: "1",
  });
  pass(30);
  expect(await jobs.attributes()).toMatchObject({
    ApproximateNumberOfMessages: "4",
    ApproximateNumberOfMessagesNotVisible: "0",
    ApproximateNumberOfMessagesDelayed: "0",
  });
});

test("A queue at its quota of in-flight messages refuses a short poll and makes a long poll wait", async () => {
  const { engine, queue, pass, now } = anEngine({ mostInFlight: 3 });
  const jobs = await queue("jobs");
  for (const body of ["a", "b", "c", "d"]) await jobs.send(body);
  expect(await jobs.bodies()).toEqual(["a", "b", "c"]);
  await expect(jobs.receive()).rejects.toEqual(expect.objectContaining({ code: "OverLimit", status: 403 }));
  const longPoll = { QueueUrl: jobs.url, WaitTimeSeconds: 1 };
  expect(engine.receiveMessage(parseRequest(ReceiveMessageRequest, longPoll))).toEqual({});
  expect(engine.nextDue(jobs.url)).toBe(now() + 30_000);
  pass(30);
  expect(await jobs.bodies({ MaxNumberOfMessages: 1 })).toEqual(["d"]);
});

test("A queue reports when its next message becomes visible", async () => {
  const { engine, queue, pass, now } = anEngine();
  const jobs = await queue("jobs");
  expect(engine.nextDue(jobs.url)).toBeUndefined();
  await jobs.send("later", { DelaySeconds: 60 });
  expect(engine.nextDue(jobs.url)).toBe(now() + 60_000);
  await jobs.send("now");
  expect(engine.nextDue(jobs.url)).toBe(now());
  await jobs.receive();
  expect(engine.nextDue(jobs.url)).toBe(now() + 30_000);
  pass(30);
  expect(engine.nextDue(jobs.url)).toBe(now());
});

describe("a batch", () => {
  const entries = (count: number, more: object = {}) =>
    Array.from({ length: count }, (_, index) => ({ Id: `entry-${index}`, MessageBody: "x", ...more }));
  const sendAll = ({ call }: ReturnType<typeof anEngine>, { url }: AQueue, Entries: object[]) =>
    call<BatchResponse>("SendMessageBatch", { QueueUrl: url, Entries });

  test.each([
    ["EmptyBatchRequest", []],
    ["TooManyEntriesInBatchRequest", entries(11)],
    ["BatchEntryIdsNotDistinct", [...entries(1), ...entries(1)]],
    ["InvalidBatchEntryId", [{ Id: "with space", MessageBody: "x" }]],
    ["InvalidBatchEntryId", [{ Id: "x".repeat(81), MessageBody: "x" }]],
    ["BatchRequestTooLong", entries(2, { MessageBody: "x".repeat(524_289) })],
  ])("is refused as a whole with %s", async (expected, Entries) => {
    const all = anEngine();
    const jobs = await all.queue("jobs");
    await expect(sendAll(all, jobs, Entries)).rejects.toEqual(code(expected));
    expect(await jobs.bodies()).toEqual([]);
  });

  test("accepts ten messages of 1 MiB in total", async () => {
    const all = anEngine();
    const jobs = await all.queue("jobs");
    const bodies = [...entries(9), { Id: "last", MessageBody: "x".repeat(1_048_576 - 9) }];
    expect((await sendAll(all, jobs, bodies)).Successful).toHaveLength(10);
  });

  test("reports the entries that fail and accepts the others", async () => {
    const all = anEngine();
    const jobs = await all.queue("jobs", { MaximumMessageSize: "1024" });
    const { Successful, Failed } = await sendAll(all, jobs, [
      { Id: "good", MessageBody: "good" },
      { Id: "character", MessageBody: "\u0000" },
      { Id: "size", MessageBody: "x".repeat(1025) },
      { Id: "delay", MessageBody: "x", DelaySeconds: 901 },
      { Id: "empty" },
    ]);
    expect(Successful).toEqual([expect.objectContaining({ Id: "good" })]);
    expect(Failed.map(({ Id, Code, SenderFault }) => [Id, Code, SenderFault])).toEqual([
      ["character", "InvalidMessageContents", true],
      ["size", "InvalidParameterValue", true],
      ["delay", "InvalidParameterValue", true],
      ["empty", "MissingParameter", true],
    ]);
    expect(await jobs.bodies()).toEqual(["good"]);
  });

  test("of deletions reports invalid handles", async () => {
    const { queue, call } = anEngine();
    const jobs = await queue("jobs");
    await jobs.send("work");
    const { ReceiptHandle } = await theMessageOf(jobs);
    const { Successful, Failed } = await call<BatchResponse>("DeleteMessageBatch", {
      QueueUrl: jobs.url,
      Entries: [
        { Id: "one", ReceiptHandle },
        { Id: "two", ReceiptHandle: "no handle" },
      ],
    });
    expect(Successful).toEqual([{ Id: "one" }]);
    expect(Failed).toMatchObject([{ Id: "two", Code: "ReceiptHandleIsInvalid" }]);
    expect(await jobs.attributes()).toMatchObject({ ApproximateNumberOfMessagesNotVisible: "0" });
  });
});

describe("a queue", () => {
  test("has the defaults of SQS, and returns the requested attributes", async () => {
    const { queue, call, now } = anEngine();
    const jobs = await queue("jobs");
    const createdAt = String(now() / 1000);
    expect(await jobs.attributes()).toEqual({
      DelaySeconds: "0",
      MaximumMessageSize: "1048576",
      MessageRetentionPeriod: "345600",
      ReceiveMessageWaitTimeSeconds: "0",
      VisibilityTimeout: "30",
      QueueArn: jobs.arn,
      CreatedTimestamp: createdAt,
      LastModifiedTimestamp: createdAt,
      ApproximateNumberOfMessages: "0",
      ApproximateNumberOfMessagesNotVisible: "0",
      ApproximateNumberOfMessagesDelayed: "0",
    });
    const ask = (AttributeNames: string[]) =>
      call("GetQueueAttributes", { QueueUrl: jobs.url, AttributeNames });
    expect(await ask(["QueueArn"])).toEqual({ Attributes: { QueueArn: jobs.arn } });
    expect(await ask([])).toEqual({});
  });

  test("shows when its attributes were changed", async () => {
    const { queue, call, now, pass } = anEngine();
    const jobs = await queue("jobs");
    const CreatedTimestamp = String(now() / 1000);
    pass(60);
    await call("SetQueueAttributes", { QueueUrl: jobs.url, Attributes: { DelaySeconds: "5" } });
    expect(await jobs.attributes()).toMatchObject({
      DelaySeconds: "5",
      CreatedTimestamp,
      LastModifiedTimestamp: String(now() / 1000),
    });
  });

  test.each([
    ["InvalidAttributeValue", { VisibilityTimeout: "43201" }],
    ["InvalidAttributeValue", { DelaySeconds: "901" }],
    ["InvalidAttributeValue", { MessageRetentionPeriod: "59" }],
    ["InvalidAttributeValue", { MaximumMessageSize: "1048577" }],
    ["InvalidAttributeValue", { ReceiveMessageWaitTimeSeconds: "1.5" }],
    ["InvalidAttributeValue", { RedrivePolicy: "{" }],
    ["InvalidAttributeValue", { RedrivePolicy: redriveTo("arn:aws:sqs:us-east-1:000000000000:none", 1) }],
    ["InvalidAttributeValue", { RedrivePolicy: redriveTo("arn:aws:sqs:eu-west-1:000000000000:dead", 1) }],
    ["InvalidAttributeValue", { RedrivePolicy: redriveTo("arn:aws:sqs:us-east-1:000000000000:dead", 0) }],
    ["InvalidAttributeValue", { RedrivePolicy: redriveTo("arn:aws:sqs:us-east-1:000000000000:dead", 1001) }],
    ["InvalidAttributeName", { Colour: "red" }],
    ["UnsupportedOperation", { FifoQueue: "true" }],
  ])("is refused with %s: %j", async (expected, attributes) => {
    const { queue } = anEngine();
    await queue("dead");
    await expect(queue("jobs", attributes)).rejects.toEqual(code(expected));
  });

  test.each([
    ["UnsupportedOperation", "jobs.fifo"],
    ["InvalidParameterValue", "with space"],
    ["InvalidParameterValue", "x".repeat(81)],
  ])("is refused with %s for the name %s", async (expected, name) => {
    await expect(anEngine().queue(name)).rejects.toEqual(code(expected));
  });

  test("that exists can be created again only with the same attributes", async () => {
    const { queue } = anEngine();
    const jobs = await queue("jobs", { DelaySeconds: "5" });
    expect((await queue("jobs", { DelaySeconds: "5" })).url).toBe(jobs.url);
    expect((await queue("jobs")).url).toBe(jobs.url);
    const policy = { deadLetterTargetArn: (await queue("dead")).arn, maxReceiveCount: 1 };
    for (const other of [{ DelaySeconds: "6" }, { RedrivePolicy: JSON.stringify(policy) }]) {
      await expect(queue("jobs", other)).rejects.toEqual(code("QueueNameExists"));
    }
  });

  test("is found by its name, and listed by its prefix", async () => {
    const { queue, call } = anEngine();
    const [jobs, job] = [await queue("jobs"), await queue("job")];
    await queue("other");
    expect(await call("GetQueueUrl", { QueueName: "jobs" })).toEqual({ QueueUrl: jobs.url });
    expect(await call("ListQueues", { QueueNamePrefix: "job" })).toEqual({ QueueUrls: [job.url, jobs.url] });
    await expect(call("GetQueueUrl", { QueueName: "none" })).rejects.toEqual(code("QueueDoesNotExist"));
    await expect(call("ReceiveMessage", { QueueUrl: "http://sqs/0/none" })).rejects.toEqual(
      code("QueueDoesNotExist"),
    );
  });
});

test.each([
  ["InvalidParameterValue", { MaxNumberOfMessages: 0 }],
  ["InvalidParameterValue", { MaxNumberOfMessages: 11 }],
  ["InvalidParameterValue", { WaitTimeSeconds: 21 }],
  ["InvalidParameterValue", { VisibilityTimeout: 43_201 }],
  ["InvalidParameterValue", { VisibilityTimeout: 1.5 }],
  ["UnsupportedOperation", { ReceiveRequestAttemptId: "of a FIFO queue" }],
])("A receive is refused with %s: %j", async (expected, parameters) => {
  const jobs = await anEngine().queue("jobs");
  await expect(jobs.receive(parameters)).rejects.toEqual(code(expected));
});

test.each(["PurgeQueue", ""])("An unsupported SQS action is refused: %j", async (action) => {
  await expect(anEngine().call(action, {})).rejects.toEqual(code("UnsupportedOperation"));
});
