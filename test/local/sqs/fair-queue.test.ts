import { expect, test } from "vitest";
import { type AQueue, anEngine } from "./an-engine.ts";

// Amazon SQS developer guide, "How Amazon SQS fair queues work".

async function sendMany(queue: AQueue, MessageGroupId: string, count: number): Promise<void> {
  for (let index = 0; index < count; index += 1) await queue.send(MessageGroupId, { MessageGroupId });
}

/** Receives that many messages, and leaves them in flight. */
async function receiveMany(queue: AQueue, count: number): Promise<string[]> {
  const bodies: string[] = [];
  while (bodies.length < count) {
    const MaxNumberOfMessages = Math.min(10, count - bodies.length);
    const received = await queue.bodies({ MaxNumberOfMessages, VisibilityTimeout: 3600 });
    if (received.length === 0) break;
    bodies.push(...received);
  }
  return bodies;
}

test("Messages of tenants that are not noisy neighbours are received in the order sent", async () => {
  const jobs = await anEngine().queue("jobs");
  for (const MessageGroupId of ["a", "b", "a", undefined, "c", "b"]) {
    await jobs.send(String(MessageGroupId), { MessageGroupId });
  }
  expect(await jobs.bodies()).toEqual(["a", "b", "a", "undefined", "c", "b"]);
});

test("A noisy tenant, with 30 messages and over a tenth of all in flight, waits for other tenants", async () => {
  const { queue } = anEngine();
  const jobs = await queue("jobs");
  await sendMany(jobs, "noisy", 40);
  expect(await receiveMany(jobs, 29)).toHaveLength(29);
  await sendMany(jobs, "quiet", 2);
  // With 29 in flight it is as quiet as the other: its older message comes first.
  expect(await receiveMany(jobs, 2)).toEqual(["noisy", "quiet"]);
  expect(await receiveMany(jobs, 2)).toEqual(["quiet", "noisy"]);
});

test("A tenant with a tenth of all messages in flight is not noisy, however many it has", async () => {
  const { queue } = anEngine();
  const jobs = await queue("jobs");
  await sendMany(jobs, "large", 31);
  expect(await receiveMany(jobs, 30)).toHaveLength(30);
  for (let other = 0; other < 270; other += 1) await jobs.send("other");
  // Sent before the others, but noisy: it comes when they are in flight and its share is a tenth.
  expect((await receiveMany(jobs, 270)).at(-1)).toBe("other");
  await jobs.send("other");
  expect(await receiveMany(jobs, 1)).toEqual(["large"]);
});

test("A tenant with few but slow messages is noisy as long as its share is recent", async () => {
  const { queue, pass } = anEngine();
  const jobs = await queue("jobs");
  for (let other = 0; other < 20; other += 1) await jobs.send("other");
  await receiveMany(jobs, 20);
  await sendMany(jobs, "slow", 4);
  await receiveMany(jobs, 3);
  pass(60);
  await jobs.send("quiet", { MessageGroupId: "quiet" });
  // Three of 23 in flight for a minute: more than a tenth of the processing time.
  expect(await receiveMany(jobs, 2)).toEqual(["quiet", "slow"]);
});

test("Of several noisy tenants, the one with the fewest messages in flight is served first", async () => {
  const { queue, pass } = anEngine();
  const jobs = await queue("jobs");
  await sendMany(jobs, "more", 41);
  await receiveMany(jobs, 40);
  await sendMany(jobs, "less", 36);
  expect(await receiveMany(jobs, 35)).toEqual(Array(35).fill("less"));
  pass(1);
  expect(await receiveMany(jobs, 2)).toEqual(["less", "more"]);
});

test("A tenant that has sent nothing for five minutes is no longer noisy", async () => {
  const { queue, pass } = anEngine();
  const jobs = await queue("jobs");
  await sendMany(jobs, "noisy", 40);
  await receiveMany(jobs, 38);
  pass(299);
  await jobs.send("quiet", { MessageGroupId: "quiet" });
  await jobs.send("quiet", { MessageGroupId: "quiet" });
  expect(await receiveMany(jobs, 1)).toEqual(["quiet"]);
  pass(1);
  expect(await receiveMany(jobs, 1)).toEqual(["noisy"]);
});

test("Messages without a group are never noisy, and noisy ones are received if there are no others", async () => {
  const { queue } = anEngine();
  const jobs = await queue("jobs");
  for (let index = 0; index < 60; index += 1) await jobs.send("ungrouped");
  await receiveMany(jobs, 50);
  await sendMany(jobs, "a", 1);
  expect(await receiveMany(jobs, 11)).toEqual([...Array(10).fill("ungrouped"), "a"]);
});
