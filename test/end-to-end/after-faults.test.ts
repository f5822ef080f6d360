import { ReceiveMessageCommand, SendMessageCommand } from "@aws-sdk/client-sqs";
import { DeleteCommand, GetCommand, PutCommand, QueryCommand } from "@aws-sdk/lib-dynamodb";
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
import { anOrganisation, invoke, responseOf } from "./platform.ts";
import { aReceiver } from "./receiver.ts";
import { registered, webhookEndpointsOf } from "./webhook-client.ts";

const deadLetters = async () =>
  (await responseOf("list-dead-letters", {}))["data"] as { queue: string; eventId: string; orgId: string }[];

/** Waits until a message with this body is in the dead-letter queue of deliveries: the list shows no body. */
async function deadLettered(expect: ExpectStatic, body: string): Promise<void> {
  const { client, url: QueueUrl } = await rawQueue("DeadLetters");
  const seen = new Set<string | undefined>();
  await expect
    .poll(
      async () => {
        // Hidden for a second, so that the next receive gets others.
        const { Messages = [] } = await client.send(
          new ReceiveMessageCommand({ QueueUrl, MaxNumberOfMessages: 10, VisibilityTimeout: 1 }),
        );
        for (const { Body } of Messages) seen.add(Body);
        return [...seen];
      },
      { timeout: 20_000 },
    )
    .toContain(body);
}

describe.concurrent("an erasure", () => {
  test("leaves a tombstone and no value of the submission in the table, delivery records included", async ({
    expect,
    onTestFinished,
  }) => {
    const { orgId, caller } = await anOrganisation();
    const receiver = await aReceiver(undefined, onTestFinished);
    const { id: endpointId } = await registered(caller, receiver.url);
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

    await responseOf("advance-candidate", { orgId, handle: stagedId, transition: "erase" });
    await receiver.waitFor(2);
    await expect
      .poll(
        async () => {
          const { body } = await webhookEndpointsOf(caller).deliveries(endpointId);
          return (body["data"] as { eventType: string }[]).map(({ eventType }) => eventType);
        },
        { timeout: 10_000 },
      )
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

describe.concurrent("a large candidate", () => {
  const itemsOf = async (orgId: string, stagedId: string) => {
    const { tableName, document } = await rawTable();
    const { Items = [] } = await document.send(
      new QueryCommand({
        TableName: tableName,
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

    await responseOf("advance-candidate", { orgId, handle: stagedId, transition: "erase" });

    const isPart = (sk: string) => sk.startsWith("PART#");
    expect(before.filter(isPart)).not.toEqual([]);
    expect((await itemsOf(orgId, stagedId)).filter(isPart)).toEqual([]);
  });

  test("loses the parts of an unfinished write once the write's notice expires", async ({ expect }) => {
    const { orgId, caller } = await anOrganisation();
    const { tableName, document } = await rawTable();
    const body = aSubmission({ documents: documentsOf(400_000) });
    const stagedId = await received(caller, body);
    const before = await caller.getCandidate(stagedId);
    const whole = await itemsOf(orgId, stagedId);
    const { pk } = candidateKey(orgId, parseHandle(stagedId).digest);
    const notice = { pk, sk: "WRITE#unfinished" };
    const left = { pk, sk: "PART#documents#hash#unfinished#1" };
    for (const item of [notice, { ...left, content: Buffer.from("left") }]) {
      await document.send(new PutCommand({ TableName: tableName, Item: item }));
    }

    // As DynamoDB does when the time to live is over.
    await document.send(new DeleteCommand({ TableName: tableName, Key: notice }));

    await expect.poll(() => itemsOf(orgId, stagedId), { timeout: 20_000 }).toEqual(whole);
    expect((await caller.getCandidate(stagedId)).text).toBe(before.text);
  });
});

/** Redrives a queue until a value is as expected: messages that another test reads just then are hidden for a while. */
async function redriveUntil(
  expect: ExpectStatic,
  queue: "deliveries" | "events" | "sweeps",
  value: () => unknown,
  expected: boolean | number,
): Promise<void> {
  await expect
    .poll(
      async () => {
        await responseOf("redrive-dead-letters", { queue });
        return value();
      },
      { timeout: 30_000 },
    )
    .toBe(expected);
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
      headers: [["Content-Type", "application/json"]],
      body: JSON.stringify({ candidates: [submission] }),
    });
    return (body["results"] as { replayed: boolean }[])[0]?.replayed === true;
  },
};
test.concurrent.each(Object.entries(creates))(
  "a large %s that another create of the same candidate precedes leaves no parts",
  async (_, isReplayed) => {
    const { orgId, caller } = await anOrganisation();
    const { tableName, document } = await rawTable();
    /** Whether the large create was preceded after it had begun to store parts, and the parts that it left. */
    const outcome = async () => {
      const externalId = anExternalId();
      const key = candidateKey(
        orgId,
        parseHandle(await received(caller, aSubmission({ externalId }))).digest,
      );
      const { Item: { event: _event, ...other } = {} } = await document.send(
        new GetCommand({ TableName: tableName, Key: key, ConsistentRead: true }),
      );
      await document.send(new DeleteCommand({ TableName: tableName, Key: key }));
      const counted = async (prefix: string) =>
        (
          await document.send(
            new QueryCommand({
              TableName: tableName,
              KeyConditionExpression: "pk = :pk AND begins_with(sk, :prefix)",
              ExpressionAttributeValues: { ":pk": key.pk, ":prefix": prefix },
              Select: "COUNT",
              ConsistentRead: true,
            }),
          )
        ).Count;
      const creating = isReplayed(caller, aSubmission({ externalId, documents: documentsOf(3_500_000) }));
      await expect.poll(() => counted("WRITE#"), { timeout: 20_000, interval: 5 }).toBe(1);
      await document.send(new PutCommand({ TableName: tableName, Item: other }));
      return { replayed: await creating, parts: await counted("PART#") };
    };

    await expect.poll(outcome, { timeout: 60_000 }).toEqual({ replayed: true, parts: 0 });
  },
);

test.concurrent("a dead-lettered part sweep is listed until a redrive does it; an unreadable one stays", async ({
  expect,
}) => {
  const { orgId } = await anOrganisation();
  const { tableName, document } = await rawTable();
  const { pk } = candidateKey(orgId, digestOf(ACME, anExternalId()));
  const notice = { pk, sk: "WRITE#unfinished" };
  const left = { pk, sk: "PART#documents#hash#unfinished#1" };
  const put = (Item: object) => document.send(new PutCommand({ TableName: tableName, Item }));
  const isLeft = async () =>
    (await document.send(new GetCommand({ TableName: tableName, Key: left, ConsistentRead: true }))).Item !==
    undefined;
  await put(notice);
  await put({ ...left, content: Buffer.from("left") });
  const writes = await writesFromNow();
  await document.send(new DeleteCommand({ TableName: tableName, Key: notice }));
  const position = await writes.positionOf(
    ({ eventName, dynamodb }) => eventName === "REMOVE" && dynamodb?.Keys?.["pk"]?.S === pk,
  );
  // Once the notice has had its sweep nothing but a redrive sweeps again: what lies there is as one that failed left it.
  await expect.poll(isLeft, { timeout: 20_000 }).toBe(false);
  await put({ ...left, content: Buffer.from("left") });
  const { client, url } = await rawQueue("UnsweptParts");

  await client.send(new SendMessageCommand({ QueueUrl: url, MessageBody: "not a batch" }));
  await client.send(new SendMessageCommand({ QueueUrl: url, MessageBody: failedBatchAt(position) }));
  await expect
    .poll(async () => (await deadLetters()).filter(({ queue }) => queue === "sweeps"), { timeout: 20_000 })
    .not.toHaveLength(0);
  await redriveUntil(expect, "sweeps", isLeft, false);

  await expect
    .poll(async () => (await responseOf("redrive-dead-letters", { queue: "sweeps" }))["left"], {
      timeout: 10_000,
    })
    .toBe(1);
});

describe.concurrent("an unreadable message", () => {
  test("of the stream is parked and blocks no other; a redrive publishes only readable ones", async ({
    expect,
    onTestFinished,
  }) => {
    const { orgId, caller } = await anOrganisation();
    const receiver = await aReceiver(undefined, onTestFinished);
    await registered(caller, receiver.url);
    const { tableName, document } = await rawTable();
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
    await document.send(
      new PutCommand({
        TableName: tableName,
        Item: { ...item, event: { ...event, type: "candidate.hired" } },
      }),
    );
    await received(caller, aSubmission());
    await receiver.waitFor(1);
    const waiting = async () => (await deadLetters()).filter(({ queue }) => queue === "events");
    await expect.poll(async () => (await waiting()).length, { timeout: 10_000 }).toBeGreaterThan(0);
    const { client, url } = await rawQueue("UnreadableEvents");
    await client.send(
      new SendMessageCommand({
        QueueUrl: url,
        MessageBody: JSON.stringify({ sequenceNumber: "1", newImage: marshall({ ...item, event }) }),
      }),
    );
    const redriven = await responseOf("redrive-dead-letters", { queue: "events" });
    const [put] = await receiver.waitFor(1, (delivery) => delivery.event.id === event.id);

    expect(put?.event.data["externalId"]).toBe(externalId);
    expect(redriven).toEqual({ redriven: expect.any(Number), left: expect.any(Number) });
    // Another file's redrive may have it in hand for a moment.
    await expect
      .poll(async () => (await responseOf("redrive-dead-letters", { queue: "events" }))["left"], {
        timeout: 10_000,
      })
      .toBeGreaterThan(0);
  });

  test.for(["DeliveryQueue", "SideQueue", "RetryQueue"])(
    "of the %s is dead-lettered and blocks no other",
    async (queue, { expect, onTestFinished }) => {
      const { orgId, caller } = await anOrganisation();
      const receiver = await aReceiver(undefined, onTestFinished);
      await registered(caller, receiver.url);
      const { client, url } = await rawQueue(queue);
      const unreadable = `no delivery of ${orgId}`;

      await client.send(new SendMessageCommand({ QueueUrl: url, MessageBody: unreadable }));
      await received(caller, aSubmission());
      await receiver.waitFor(1);

      await deadLettered(expect, unreadable);
      await expect.poll(deadLetters, { timeout: 10_000 }).toContainEqual({
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
  const { orgId, caller } = await anOrganisation();
  const receiver = await aReceiver(undefined, onTestFinished);
  const { id: endpointId } = await registered(caller, receiver.url);
  const { client, url } = await rawQueue("DeliveryQueue");
  const stagedId = await received(caller, aSubmission());
  const [first] = await receiver.waitFor(1);
  const event = { ...first?.event, occurredAt: new Date(Date.now() - 120_000).toISOString() };
  const late = async (eventId: string) => {
    const body = JSON.stringify({ ...event, id: eventId });
    const delivery = { orgId, endpointId, eventId, eventType: first?.event.type, body, attempt: 1 };
    const dueAt = new Date().toISOString();
    await client.send(
      new SendMessageCommand({ QueueUrl: url, MessageBody: JSON.stringify({ ...delivery, dueAt }) }),
    );
  };

  const before = newEventId(runtime);
  await late(before);
  await receiver.waitFor(1, (delivery) => delivery.event.id === before);
  await responseOf("advance-candidate", { orgId, handle: stagedId, transition: "erase" });
  const after = newEventId(runtime);
  await late(after);

  await expect
    .poll(
      async () => {
        const { body } = await webhookEndpointsOf(caller).deliveries(endpointId);
        const deliveries = body["data"] as { eventId: string }[];
        return deliveries.find(({ eventId }) => eventId === after);
      },
      { timeout: 10_000 },
    )
    .toMatchObject({ status: "dropped", reason: "candidate_erased", attempts: [] });
  expect(receiver.deliveries.some((delivery) => delivery.event.id === after)).toBe(false);
});

test.concurrent("an endpoint that was late once gets its events from the side queue until its next fast response", async ({
  expect,
  onTestFinished,
}) => {
  const { orgId, caller } = await anOrganisation();
  let isLate = false;
  const receiver = await aReceiver((response) => {
    setTimeout(() => response.writeHead(204).end(), isLate ? 1_100 : 0);
  }, onTestFinished);
  const { id: endpointId } = await registered(caller, receiver.url, [
    "candidate.received",
    "candidate.verified",
  ]);
  const { document, tableName } = await rawTable();
  const pace = async () => {
    const Key = { pk: `ENDPOINTS#${orgId}`, sk: `ENDPOINT#${endpointId}` };
    return (await document.send(new GetCommand({ TableName: tableName, Key, ConsistentRead: true }))).Item;
  };
  const delivered = async (count: number) => {
    const listed = async () => (await webhookEndpointsOf(caller).deliveries(endpointId)).body["data"];
    const each = Array.from({ length: count }, () => expect.objectContaining({ status: "delivered" }));
    await expect.poll(listed, { timeout: 10_000 }).toEqual(each);
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
  const { client, url } = await rawQueue("DeliveryQueue");
  const event = { ...receiver.deliveries[0]?.event, id: newEventId(runtime) };
  const delivery = { orgId, endpointId, eventId: event.id, eventType: event.type, attempt: 1 };
  const dueAt = new Date().toISOString();
  await client.send(
    new SendMessageCommand({
      QueueUrl: url,
      MessageBody: JSON.stringify({ ...delivery, body: JSON.stringify(event), dueAt }),
    }),
  );
  await responseOf("advance-candidate", { orgId, handle: stagedId, transition: "verify" });
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
  const { orgId, caller } = await anOrganisation();
  const receiver = await aReceiver(undefined, onTestFinished);
  const { id: endpointId } = await registered(caller, receiver.url);
  const { client, url } = await rawQueue("DeadLetters");
  await received(caller, aSubmission());
  const [first] = await receiver.waitFor(1);

  await client.send(
    new SendMessageCommand({
      QueueUrl: url,
      MessageBody: JSON.stringify({
        orgId,
        endpointId,
        eventId: first?.event.id,
        eventType: first?.event.type,
        body: first?.body,
        attempt: 11,
        dueAt: new Date().toISOString(),
      }),
    }),
  );
  await redriveUntil(expect, "deliveries", () => receiver.deliveries.length, 2);
  const [, again] = receiver.deliveries;

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
  const { orgId, caller } = await anOrganisation();
  const receiver = await aReceiver(undefined, onTestFinished);
  const { id: endpointId } = await registered(caller, receiver.url);
  await received(caller, aSubmission());
  const [first] = await receiver.waitFor(1);
  const { tableName, document } = await rawTable();
  const dueAt = new Date().toISOString();
  const wait = async (message: string) => {
    const Item = { pk: "WAITING#3", sk: `${dueAt}#${endpointId}#${newEventId(runtime)}#5`, message };
    await document.send(new PutCommand({ TableName: tableName, Item }));
  };
  const { id: eventId = newEventId(runtime), type: eventType } = first?.event ?? {};
  const event = { ...first?.event, id: newEventId(runtime) };
  // Otherwise it would be a copy of the first one, which succeeded.
  const resentAt = dueAt;
  await wait(JSON.stringify({ orgId, endpointId, eventId, eventType, event, attempt: 5, dueAt, resentAt }));
  const unreadable = `unreadable ${newEventId(runtime)}`;
  await wait(unreadable);

  await invoke("release-deliveries", {});

  const [, released] = await receiver.waitFor(2);
  expect(released?.headers).toMatchObject({ "x-rr-event-id": eventId, "x-rr-delivery-attempt": "5" });
  const { Items } = await document.send(
    new QueryCommand({
      TableName: tableName,
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
  const { caller } = await anOrganisation();
  const receiver = await aReceiver(undefined, onTestFinished);
  await registered(caller, receiver.url);
  const { client, url } = await rawQueue("UnreadableEvents");
  const writes = await writesFromNow();
  await received(caller, aSubmission());
  const [first] = await receiver.waitFor(1);
  const position = await writes.positionOf(thatFired(String(first?.event.id)));

  await client.send(new SendMessageCommand({ QueueUrl: url, MessageBody: failedBatchAt(position) }));
  await redriveUntil(expect, "events", () => receiver.deliveries.length, 2);

  expect(receiver.deliveries[1]?.event.id).toBe(first?.event.id);
});
