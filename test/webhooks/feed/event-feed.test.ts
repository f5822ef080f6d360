import { QueryCommand } from "@aws-sdk/lib-dynamodb";
import { afterAll, beforeAll, describe, expect, inject, test, vi } from "vitest";
import { CandidateEvent } from "#contract/events";
import { runtime } from "#runtime/runtime";
import { EventFeed } from "#webhooks/feed/event-feed";
import { EVENTS_PER_ITEM, unpackEvents } from "#webhooks/feed/feed-item";
import { feedPage } from "#webhooks/feed/feed-page";
import { aStore, type Store } from "../../lifecycle/candidate-store.ts";
import { anEndpointEvent, anEvent, EXTERNAL_ID, NOW } from "../builders.ts";

let store: Store;
let units = { read: 0, written: 0 };
beforeAll(async () => {
  store = await aStore(inject("dynamoDbEndpoint"));
  countUnits();
});
afterAll(() => store?.close());

/** Adds up what DynamoDB Local reports. */
function countUnits(): void {
  store.client.middlewareStack.add(
    (next) => async (args) => {
      Object.assign(args.input, { ReturnConsumedCapacity: "TOTAL" });
      const result = await next(args);
      const { ConsumedCapacity } = result.output as { ConsumedCapacity?: { CapacityUnits?: number } };
      units["KeyConditionExpression" in args.input ? "read" : "written"] +=
        ConsumedCapacity?.CapacityUnits ?? 0;
      return result;
    },
    { step: "initialize" },
  );
}

let organisations = 0;

/** A feed on a clock, and an organisation that no other test knows. */
function aFeed(now = () => NOW) {
  const orgId = `org-${organisations++}`;
  units = { read: 0, written: 0 };
  const feed = new EventFeed(store.client, store.tableName, 30, { ...runtime, now });
  const published = (count: number) => Array.from({ length: count }, () => ({ orgId, event: aRejection() }));
  return { feed, orgId, published };
}

/** The items of an organisation as they are stored. */
async function itemsOf(orgId: string) {
  const pages = [0, 1, 2, 3].map((shard) =>
    store.client.send(
      new QueryCommand({
        TableName: store.tableName,
        KeyConditionExpression: "pk = :pk",
        ExpressionAttributeValues: { ":pk": `FEED#${orgId}#${shard}` },
      }),
    ),
  );
  return (await Promise.all(pages)).flatMap(({ Items = [] }) => Items);
}

/** As large as an event is stored: promoted, with both handles. */
function aRejection(): CandidateEvent {
  const digest = Buffer.from(runtime.randomBytes(26)).toString("hex").slice(0, 26);
  return CandidateEvent.parse({
    ...anEvent(),
    type: "candidate.validation_failed",
    data: {
      externalId: EXTERNAL_ID,
      verificationStatus: "in_review",
      availabilityStatus: "pending",
      stagedId: `staged_${digest}`,
      id: `cand_${digest}`,
      status: "validation_failed",
      reasons: [{ code: "cv_unreadable", message: "The CV could not be opened." }],
    },
  });
}

const LATER = new Date(NOW.getTime() + 60_000);
const BEFORE = new Date(NOW.getTime() - 60_000).toISOString();
const FROM_THE_BEGINNING = { position: BEFORE, eventsRead: 0 };

/** All that a reader receives a minute later. */
async function eventsOf(orgId: string) {
  const feed = new EventFeed(store.client, store.tableName, 30, { ...runtime, now: () => LATER });
  const events: string[] = [];
  let at = FROM_THE_BEGINNING;
  for (let hasMore = true; hasMore; ) {
    const page = feedPage(await feed.read(orgId, at.position), at, { limit: 100 });
    events.push(...page.events.map(({ id }) => id));
    ({ hasMore, next: at } = page);
  }
  return events;
}

describe("an appended event", () => {
  test("is read in the order of its batch, by its own organisation alone", async () => {
    const { feed, orgId, published } = aFeed();
    const { orgId: stranger } = aFeed();
    const batch = published(100);

    await feed.append([...batch, { orgId: stranger, event: anEndpointEvent() }]);

    expect(await eventsOf(orgId)).toEqual(batch.map(({ event }) => event.id));
    expect(await eventsOf(stranger)).toHaveLength(1);
  });

  test("is stored without its externalId and its reasons, for a day longer than promised", async () => {
    const { feed, orgId } = aFeed();

    await feed.append([{ orgId, event: aRejection() }]);

    const [item] = await itemsOf(orgId);
    const text = unpackEvents(item?.["events"]);
    expect(Number(item?.["deleteAfter"]) * 1_000 - NOW.getTime()).toBe(31 * 24 * 60 * 60 * 1_000);
    expect(text).toContain("candidate.validation_failed");
    expect(text).not.toContain(EXTERNAL_ID);
    expect(text).not.toContain("reasons");
  });

  test("is not read before clocks that differ by a second agree that it is there", async () => {
    const clock = { now: NOW };
    const { feed, orgId, published } = aFeed(() => clock.now);
    await feed.append(published(1));

    clock.now = new Date(NOW.getTime() + 1_500);
    const early = await feed.read(orgId, BEFORE);
    clock.now = new Date(NOW.getTime() + 1_501);
    const late = await feed.read(orgId, BEFORE);

    expect(early.shards.flatMap(({ items }) => items)).toEqual([]);
    expect(late.shards.flatMap(({ items }) => items)).toHaveLength(1);
  });

  test.each([
    [500, 1],
    [501, 2],
  ])("is appended again if the table takes %i ms to acknowledge it", async (duration, times) => {
    const clock = { now: NOW.getTime() };
    const takes = [duration, 10];
    const { feed, orgId, published } = aFeed(() => new Date(clock.now));
    const append = store.client.send.bind(store.client);
    const send = vi.spyOn(store.client, "send").mockImplementation(async (command) => {
      const result = await append(command as never);
      clock.now += takes.shift() ?? 0;
      return result;
    });

    await feed.append(published(1));
    send.mockRestore();

    expect(await eventsOf(orgId)).toHaveLength(times);
  });

  test("fails if the table does not acknowledge it in time for three seconds", async () => {
    const clock = { now: NOW.getTime() };
    const { feed, orgId, published } = aFeed(() => {
      clock.now += 600;
      return new Date(clock.now);
    });

    await expect(feed.append(published(1))).rejects.toThrow("not acknowledged in time");

    const positions = (await itemsOf(orgId)).map(({ sk }) => Date.parse(String(sk).split("#")[0] ?? ""));
    expect(Math.max(...positions) - NOW.getTime()).toBeLessThanOrEqual(3_600);
  });

  test("is not appended again by the process that has appended it, but by another one", async () => {
    const { feed, orgId, published } = aFeed();
    const [first, ...others] = published(3);
    if (!first) throw new Error("There are events.");

    await feed.append([first]);
    await feed.append([first, ...others]);
    const once = await eventsOf(orgId);
    await new EventFeed(store.client, store.tableName, 30, { ...runtime, now: () => NOW }).append([first]);

    expect(once).toHaveLength(3);
    expect(await eventsOf(orgId)).toHaveLength(4);
  });
});

describe("capacity units", () => {
  test("one for an event alone, and less than 0.3 for each of a burst", async () => {
    const { feed, published } = aFeed();

    await feed.append(published(1));
    const alone = units.written;
    units.written = 0;
    await feed.append(published(100));

    expect(alone).toBe(1);
    expect(units.written / 100).toBeLessThan(0.3);
  });

  test.each([1, EVENTS_PER_ITEM])("at most ten for a page of items of %i events", async (size) => {
    const { feed, orgId, published } = aFeed();
    for (let item = 0; item < 100; item++) await feed.append(published(size));
    units.read = 0;

    const reader = new EventFeed(store.client, store.tableName, 30, { ...runtime, now: () => LATER });
    const page = feedPage(await reader.read(orgId, BEFORE), FROM_THE_BEGINNING, { limit: 100 });

    expect(units.read).toBeLessThanOrEqual(10);
    expect(page.events.length).toBeGreaterThan(8);
  });
});
