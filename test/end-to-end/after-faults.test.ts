import { ReceiveMessageCommand } from "@aws-sdk/client-sqs";
import { QueryCommand } from "@aws-sdk/lib-dynamodb";
import { marshall } from "@aws-sdk/util-dynamodb";
import { describe, type ExpectStatic, expect, test } from "vitest";
import { digestOf, parseHandle } from "#candidates/handles";
import { candidateKey } from "#candidates/store/item/candidate-key";
import { ITEM_VERSION } from "#candidates/store/item/item-version";
import { newEventId } from "#contract/identifiers";
import { runtime } from "#runtime/runtime";
import { ACME } from "../builders/organisation.ts";
import { aFullSubmission, anExternalId, aSubmission, documentsOf } from "../builders/submission.ts";
import { type Caller, received } from "./client.ts";
import { rawQueue, rawTable, type StreamPosition, thatFired, writesFromNow } from "./engines.ts";
import { JSON_TYPE } from "./messages.ts";
import { advance, anOrganisation, invoke, responseOf } from "./platform.ts";
import { aSubscriber } from "./webhook-client.ts";

const deadLetters = async () =>
  (await responseOf("list-dead-letters", {}))["data"] as { queue: string; eventId: string; orgId: string }[];

/** Waits until a message with this body is in the dead-letter queue of deliveries: the list shows no body. */
async function deadLettered(expect: ExpectStatic, body: string): Promise<void> {
  const { client, url: QueueUrl } = await rawQueue("DeadLetters");
  const seen = new Set<string | undefined>();
  await expect
    .poll(async () => {
      // Hidden for a second, so that the next receive gets others.
      const { Messages = [] } = await client.send(
        new ReceiveMessageCommand({ QueueUrl, MaxNumberOfMessages: 10, VisibilityTimeout: 1 }),
      );
      for (const { Body } of Messages) seen.add(Body);
      return [...seen];
    })
    .toContain(body);
}

describe.concurrent("an erasure", () => {
  test("leaves a tombstone and no value of the submission in the table, delivery records included", async ({
    expect,
    onTestFinished,
  }) => {
    const { orgId, caller, endpoints, receiver, endpointId } = await aSubscriber({ onTestFinished });
    const table = await rawTable();
    const submission = aFullSubmission({
      externalId: `canary.${anExternalId()}@example.com`,
      firstName: "Canary-Ada",
      email: "canary.erased@example.com",
      phone: "+44 canary",
      summary: `canary ${"words ".repeat(200)}`,
      referees: [{ name: "Canary Referee" }],
    });
    const stagedId = await received(caller, submission);
    await receiver.waitFor(1);
    const { digest } = parseHandle(stagedId);
    const before = await table.itemsAsText();

    await advance(orgId, stagedId, "erase");
    await receiver.waitFor(2);
    await expect
      .poll(async () => {
        const { body } = await endpoints.deliveries(endpointId);
        return (body["data"] as { eventType: string }[]).map(({ eventType }) => eventType);
      })
      .toContain("candidate.erased");
    const after = await table.itemsAsText();

    const hasName = ({ text }: { readonly text: string }) => text.includes("Canary-Ada");
    expect(before.some(hasName)).toBe(true);
    const tombstone = after.find(({ item, text }) => item["sk"] === "RECORD" && text.includes(digest));
    expect(Object.keys(tombstone?.item ?? {}).sort()).toEqual([
      "deleteAfter",
      "event",
      "firstSequence",
      "itemVersion",
      "pk",
      "receivedAt",
      "sequence",
      "sk",
      "status",
      "updatedAt",
      "writeId",
    ]);
    for (const canary of [
      submission.externalId,
      "Canary-Ada",
      "Canary Referee",
      "canary.erased@example.com",
      "+44 canary",
    ]) {
      const mentions = after.filter(({ text }) => text.includes(canary));
      expect(
        mentions.map(({ item }) => item),
        canary,
      ).toEqual([]);
    }
  });
});

/** What a write that was interrupted leaves beside a candidate: its notice, and a part that nothing refers to. */
function unfinishedWrite(pk: string) {
  return {
    notice: { pk, sk: "WRITE#unfinished" },
    left: { pk, sk: "PART#documents#hash#unfinished#1", content: Buffer.from("left") },
  };
}

describe.concurrent("a large candidate", () => {
  const itemsOf = async (orgId: string, stagedId: string) => {
    const table = await rawTable();
    const { Items = [] } = await table.document.send(
      new QueryCommand({
        TableName: table.tableName,
        KeyConditionExpression: "pk = :pk",
        ExpressionAttributeValues: { ":pk": candidateKey(orgId, parseHandle(stagedId).digest).pk },
      }),
    );
    return Items.map(({ sk }) => String(sk));
  };

  test("that is erased leaves no parts", async () => {
    const { orgId, caller } = await anOrganisation();
    const body = aSubmission({ documents: documentsOf(400_000) });
    const stagedId = await received(caller, body);
    const before = await itemsOf(orgId, stagedId);

    await advance(orgId, stagedId, "erase");

    const isPart = (sk: string) => sk.startsWith("PART#");
    expect(before.filter(isPart)).not.toEqual([]);
    expect((await itemsOf(orgId, stagedId)).filter(isPart)).toEqual([]);
  });

  test("loses the parts of an unfinished write once the write's notice expires", async ({ expect }) => {
    const { orgId, caller } = await anOrganisation();
    const table = await rawTable();
    const body = aSubmission({ documents: documentsOf(400_000) });
    const stagedId = await received(caller, body);
    const before = await caller.getCandidate(stagedId);
    const whole = await itemsOf(orgId, stagedId);
    const { pk } = candidateKey(orgId, parseHandle(stagedId).digest);
    const { notice, left } = unfinishedWrite(pk);
    for (const item of [notice, left]) await table.put(item);

    // As DynamoDB does when the time to live is over.
    await table.remove(notice);

    await expect.poll(() => itemsOf(orgId, stagedId)).toEqual(whole);
    expect((await caller.getCandidate(stagedId)).text).toBe(before.text);
  });
});

/** Redrives a queue until a value is as expected: messages that another test reads just then are hidden for a while. */
async function redriveUntil(
  expect: ExpectStatic,
  queue: "deliveries" | "events" | "sweeps",
  value: () => unknown,
  expected: boolean,
): Promise<void> {
  await expect
    .poll(async () => {
      await responseOf("redrive-dead-letters", { queue });
      return value();
    })
    .toBe(expected);
}

/**
 * Waits until the only delivery of an endpoint is done: on a busy machine its first request may be cut, and
 * repeated.
 *
 * @returns how many requests it took
 */
async function requestsUntilDelivered(
  expect: ExpectStatic,
  { endpoints, endpointId, receiver }: Awaited<ReturnType<typeof aSubscriber>>,
): Promise<number> {
  await expect
    .poll(async () => {
      const { body } = await endpoints.deliveries(endpointId);
      return (body["data"] as { status: string }[]).map(({ status }) => status);
    })
    .toEqual(["delivered"]);
  return receiver.deliveries.length;
}

/** What Lambda sends to the destination of a stream's batch of one record whose retries are exhausted. */
function failedBatchAt({ streamArn, shardId, sequenceNumber }: StreamPosition): string {
  return JSON.stringify({
    requestContext: { condition: "RetryAttemptsExhausted" },
    DDBStreamBatchInfo: {
      shardId,
      startSequenceNumber: sequenceNumber,
      endSequenceNumber: sequenceNumber,
      batchSize: 1,
      streamArn,
    },
  });
}

const creates: Readonly<Record<string, (caller: Caller, submission: object) => Promise<boolean>>> = {
  create: async (caller, submission) =>
    (await caller.createCandidate(submission)).headers["idempotent-replayed"] === "true",
  batch: async (caller, submission) => {
    const { body } = await caller.send({
      method: "POST",
      path: "/v1/candidate-batches",
      headers: JSON_TYPE,
      body: JSON.stringify({ candidates: [submission] }),
    });
    return (body["results"] as { replayed: boolean }[])[0]?.replayed === true;
  },
};
test.concurrent.each(Object.entries(creates))(
  "a large %s that another create of the same candidate precedes leaves no parts",
  async (_, isReplayed) => {
    const { orgId, caller } = await anOrganisation();
    const table = await rawTable();
    /** Whether the large create was preceded after it had begun to store parts, and the parts that it left. */
    const outcome = async () => {
      const externalId = anExternalId();
      const key = candidateKey(
        orgId,
        parseHandle(await received(caller, aSubmission({ externalId }))).digest,
      );
      const { event: _event, ...other } = (await table.read(key)) ?? {};
      await table.remove(key);
      const counted = async (prefix: string) =>
        (
          await table.document.send(
            new QueryCommand({
              TableName: table.tableName,
              KeyConditionExpression: "pk = :pk AND begins_with(sk, :prefix)",
              ExpressionAttributeValues: { ":pk": key.pk, ":prefix": prefix },
              Select: "COUNT",
              ConsistentRead: true,
            }),
          )
        ).Count;
      const creating = isReplayed(caller, aSubmission({ externalId, documents: documentsOf(3_500_000) }));
      let isCreated = false;
      void creating.then(() => {
        isCreated = true;
      });
      await expect.poll(async () => isCreated || (await counted("WRITE#")) === 1, { interval: 5 }).toBe(true);
      await table.put(other);
      return { replayed: await creating, parts: await counted("PART#") };
    };

    await expect.poll(outcome).toEqual({ replayed: true, parts: 0 });
  },
);

test.concurrent("a dead-lettered part sweep is listed until a redrive does it; an unreadable one stays", async ({
  expect,
}) => {
  const { orgId } = await anOrganisation();
  const table = await rawTable();
  const { pk } = candidateKey(orgId, digestOf(ACME, anExternalId()));
  const { notice, left } = unfinishedWrite(pk);
  const isLeft = async () => (await table.read(left)) !== undefined;
  await table.put(notice);
  await table.put(left);
  const writes = await writesFromNow();
  await table.remove(notice);
  const position = await writes.positionOf(
    ({ eventName, dynamodb }) => eventName === "REMOVE" && dynamodb?.Keys?.["pk"]?.S === pk,
  );
  // Once the notice has had its sweep nothing but a redrive sweeps again: what lies there is as one that failed left
  // it.
  await expect.poll(isLeft).toBe(false);
  await table.put(left);
  const queue = await rawQueue("UnsweptParts");

  await queue.send("not a batch");
  await queue.send(failedBatchAt(position));
  await expect
    .poll(async () => (await deadLetters()).filter(({ queue }) => queue === "sweeps"))
    .not.toHaveLength(0);
  await redriveUntil(expect, "sweeps", isLeft, false);

  await expect
    .poll(async () => (await responseOf("redrive-dead-letters", { queue: "sweeps" }))["left"])
    .toBe(1);
});

describe.concurrent("an unreadable message", () => {
  test("of the stream is parked and blocks no other; a redrive publishes only readable ones", async ({
    expect,
    onTestFinished,
  }) => {
    const { orgId, caller, receiver } = await aSubscriber({ onTestFinished });
    const table = await rawTable();
    const externalId = anExternalId();
    const digest = digestOf(ACME, externalId);
    const now = new Date().toISOString();
    const item = {
      pk: `CANDIDATE#${orgId}#${digest}`,
      sk: "RECORD",
      externalId,
      status: "received",
      verificationStatus: "in_review",
      availabilityStatus: "pending",
      receivedAt: now,
      updatedAt: now,
      itemVersion: ITEM_VERSION,
      sequence: 1,
      firstSequence: 1,
    };
    const event = { id: newEventId(runtime), type: "candidate.received", occurredAt: now };

    // A writer of tomorrow, whose event type today's publisher does not know.
    await table.put({ ...item, event: { ...event, type: "candidate.hired" } });
    await received(caller, aSubmission());
    await receiver.waitFor(1);
    const waiting = async () => (await deadLetters()).filter(({ queue }) => queue === "events");
    await expect.poll(async () => (await waiting()).length).toBeGreaterThan(0);
    const queue = await rawQueue("UnreadableEvents");
    await queue.send(JSON.stringify({ sequenceNumber: "1", newImage: marshall({ ...item, event }) }));
    const redriven = await responseOf("redrive-dead-letters", { queue: "events" });
    const [put] = await receiver.waitFor(1, (delivery) => delivery.event.id === event.id);

    expect(put?.event.data["externalId"]).toBe(externalId);
    expect(redriven).toEqual({ redriven: expect.any(Number), left: expect.any(Number) });
    // Another file's redrive may have it in hand for a moment.
    await expect
      .poll(async () => (await responseOf("redrive-dead-letters", { queue: "events" }))["left"])
      .toBeGreaterThan(0);
  });

  test.for(["DeliveryQueue", "SideQueue", "RetryQueue"])(
    "of the %s is dead-lettered and blocks no other",
    async (name, { expect, onTestFinished }) => {
      const { orgId, caller, receiver } = await aSubscriber({ onTestFinished });
      const queue = await rawQueue(name);
      const unreadable = `no delivery of ${orgId}`;

      await queue.send(unreadable);
      await received(caller, aSubmission());
      await receiver.waitFor(1);

      await deadLettered(expect, unreadable);
      await expect.poll(deadLetters).toContainEqual({
        queue: "deliveries",
        eventId: null,
        eventType: null,
        endpointId: null,
        orgId: null,
      });
    },
  );
});

test.concurrent("an event that waited for more than a minute is delivered until its candidate is erased", async ({
  expect,
  onTestFinished,
}) => {
  const { orgId, caller, endpoints, receiver, endpointId } = await aSubscriber({ onTestFinished });
  const queue = await rawQueue("DeliveryQueue");
  const stagedId = await received(caller, aSubmission());
  const [first] = await receiver.waitFor(1);
  const event = { ...first?.event, occurredAt: new Date(Date.now() - 120_000).toISOString() };
  const late = async (eventId: string) => {
    const body = JSON.stringify({ ...event, id: eventId });
    const delivery = { orgId, endpointId, eventId, eventType: first?.event.type, body, attempt: 1 };
    const dueAt = new Date().toISOString();
    await queue.send(JSON.stringify({ ...delivery, dueAt }));
  };

  const before = newEventId(runtime);
  await late(before);
  await receiver.waitFor(1, (delivery) => delivery.event.id === before);
  await advance(orgId, stagedId, "erase");
  const after = newEventId(runtime);
  await late(after);

  await expect
    .poll(async () => {
      const { body } = await endpoints.deliveries(endpointId);
      const deliveries = body["data"] as { eventId: string }[];
      return deliveries.find(({ eventId }) => eventId === after);
    })
    .toMatchObject({ status: "dropped", reason: "candidate_erased", attempts: [] });
  expect(receiver.deliveries.some((delivery) => delivery.event.id === after)).toBe(false);
});

test.concurrent("an endpoint that was late once gets its events from the side queue until its next fast response", async ({
  expect,
  onTestFinished,
}) => {
  let isLate = false;
  const { orgId, caller, endpoints, receiver, endpointId } = await aSubscriber({
    respond: (response) => void setTimeout(() => response.writeHead(204).end(), isLate ? 1_100 : 0),
    onTestFinished,
    eventTypes: ["candidate.received", "candidate.verified"],
  });
  const table = await rawTable();
  const pace = () => table.read({ pk: `ENDPOINTS#${orgId}`, sk: `ENDPOINT#${endpointId}` });
  const delivered = async (count: number) => {
    const listed = async () => (await endpoints.deliveries(endpointId)).body["data"];
    const each = Array.from({ length: count }, () => expect.objectContaining({ status: "delivered" }));
    await expect.poll(listed).toEqual(each);
  };
  expect(await pace()).toHaveProperty("unprovenSince");

  const stagedId = await received(caller, aSubmission());
  await delivered(1);
  const proven = await pace();
  isLate = true;
  await received(caller, aSubmission());
  await delivered(2);
  const suspected = await pace();
  // One that is published now, and one that is in the delivery queue already. Neither response ends the suspicion, so
  // both take the side queue, in whatever order.
  const queue = await rawQueue("DeliveryQueue");
  const event = { ...receiver.deliveries[0]?.event, id: newEventId(runtime) };
  const delivery = { orgId, endpointId, eventId: event.id, eventType: event.type, attempt: 1 };
  const dueAt = new Date().toISOString();
  await queue.send(JSON.stringify({ ...delivery, body: JSON.stringify(event), dueAt }));
  await advance(orgId, stagedId, "verify");
  await delivered(4);
  const stillSuspected = await pace();
  isLate = false;
  await received(caller, aSubmission());
  await delivered(5);

  expect(proven).not.toHaveProperty("unprovenSince");
  expect(suspected).toHaveProperty("suspectedSince");
  expect(stillSuspected).toHaveProperty("suspectedSince", suspected?.["suspectedSince"]);
  expect(await pace()).not.toHaveProperty("suspectedSince");
});

test.concurrent("a redriven delivery starts from its first attempt, with the same id and bytes", async ({
  expect,
  onTestFinished,
}) => {
  const subscriber = await aSubscriber({ onTestFinished });
  const { orgId, caller, receiver, endpointId } = subscriber;
  const queue = await rawQueue("DeadLetters");
  await received(caller, aSubmission());
  const [first] = await receiver.waitFor(1);
  const requests = await requestsUntilDelivered(expect, subscriber);

  await queue.send(
    JSON.stringify({
      orgId,
      endpointId,
      eventId: first?.event.id,
      eventType: first?.event.type,
      body: first?.body,
      attempt: 11,
      dueAt: new Date().toISOString(),
    }),
  );
  await redriveUntil(expect, "deliveries", () => receiver.deliveries.length > requests, true);
  const again = receiver.deliveries[requests];

  expect(again?.body).toBe(first?.body);
  expect(again?.headers).toMatchObject({
    "x-rr-event-id": first?.event.id,
    "x-rr-delivery-attempt": "1",
  });
});

test.concurrent("a delivery that waited in the table is released and made, and an unreadable one is dead-lettered", async ({
  expect,
  onTestFinished,
}) => {
  const { orgId, caller, receiver, endpointId } = await aSubscriber({ onTestFinished });
  await received(caller, aSubmission());
  const [first] = await receiver.waitFor(1);
  const table = await rawTable();
  const dueAt = new Date().toISOString();
  const wait = (message: string) =>
    table.put({ pk: "WAITING#3", sk: `${dueAt}#${endpointId}#${newEventId(runtime)}#5`, message });
  const { id: eventId = newEventId(runtime), type: eventType } = first?.event ?? {};
  const event = { ...first?.event, id: newEventId(runtime) };
  // Otherwise it would be a copy of the first one, which succeeded.
  const resentAt = dueAt;
  await wait(JSON.stringify({ orgId, endpointId, eventId, eventType, event, attempt: 5, dueAt, resentAt }));
  const unreadable = `unreadable ${newEventId(runtime)}`;
  await wait(unreadable);

  await invoke("release-deliveries", {});

  const [released] = await receiver.waitFor(1, ({ headers }) => headers["x-rr-delivery-attempt"] === "5");
  expect(released?.headers).toMatchObject({ "x-rr-event-id": eventId });
  const { Items } = await table.document.send(
    new QueryCommand({
      TableName: table.tableName,
      KeyConditionExpression: "pk = :pk AND begins_with(sk, :own)",
      ExpressionAttributeValues: { ":pk": "WAITING#3", ":own": `${dueAt}#${endpointId}` },
      ConsistentRead: true,
    }),
  );
  expect(Items).toEqual([]);
  await deadLettered(expect, unreadable);
});

test.concurrent("a redriven stream batch is read again and published with the same event ids", async ({
  expect,
  onTestFinished,
}) => {
  const subscriber = await aSubscriber({ onTestFinished });
  const { caller, receiver } = subscriber;
  const queue = await rawQueue("UnreadableEvents");
  const writes = await writesFromNow();
  await received(caller, aSubmission());
  const [first] = await receiver.waitFor(1);
  const requests = await requestsUntilDelivered(expect, subscriber);
  const position = await writes.positionOf(thatFired(String(first?.event.id)));

  await queue.send(failedBatchAt(position));
  await redriveUntil(expect, "events", () => receiver.deliveries.length > requests, true);

  expect(receiver.deliveries[requests]?.event.id).toBe(first?.event.id);
});
