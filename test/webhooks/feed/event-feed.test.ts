import { type PutCommand, QueryCommand } from "@aws-sdk/lib-dynamodb";
import { afterAll, beforeAll, describe, expect, inject, onTestFinished, test, vi } from "vitest";
import { EventsQuery, encodedCursor } from "#contract/event-feed";
import { type Runtime, runtime } from "#runtime/runtime";
import { EventFeed } from "#webhooks/feed/event-feed";
import { unpackEvents } from "#webhooks/feed/feed-item";
import { feedPage } from "#webhooks/feed/feed-page";
import { capturedLogs } from "../../builders/captured-logs.ts";
import { aStore, type Store } from "../../candidates/candidate-store.ts";
import { anEndpointEvent, aRejection, EXTERNAL_ID, NOW } from "../builders.ts";

const logs = capturedLogs();
let store: Store;
beforeAll(async () => {
  store = await aStore(inject("dynamoDbEndpoint"));
});
afterAll(() => store?.close());

let organisations = 0;

/** For a table that responds at once, if the clock says so: this machine may be slow. */
const never = () => new Promise(() => {});

/** A feed on a clock, and an organisation that no other test knows. */
function aFeed(now = () => NOW, wait: Runtime["wait"] = never, random = runtime.random) {
  const orgId = `org-${organisations++}`;
  const feed = new EventFeed(store.client, store.tableName, 30, { ...runtime, now, wait, random });
  const published = (count: number) => Array.from({ length: count }, () => aRejection());
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

/** When a reader finds the items of an organisation, in ms. */
async function positionsOf(orgId: string): Promise<number[]> {
  return (await itemsOf(orgId)).map(({ sk }) => Date.parse(String(sk).split("#")[0] ?? ""));
}

function aClock() {
  const clock = { ms: NOW.getTime(), now: () => new Date(clock.ms) };
  return clock;
}

/** Lets the clock go on by the time that each put takes; or fails where an item is emptied. */
function slowTable(clock: { ms: number }, takes: number[], { emptied = true } = {}) {
  const send = store.client.send.bind(store.client);
  return vi.spyOn(store.client, "send").mockImplementation(async (command) => {
    const { Item } = (command as unknown as PutCommand).input;
    if (!emptied && unpackEvents(Item?.["events"]) === "[]") throw new Error("outage");
    const result = await send(command as never);
    clock.ms += takes.shift() ?? 0;
    return result;
  });
}

/** A feed whose first put reaches the table only when `arrive` is called. */
function aFeedWhoseFirstPutHangs() {
  const clock = aClock();
  const wait = vi.fn<Runtime["wait"]>(never).mockImplementationOnce(async (ms) => {
    clock.ms += ms;
  });
  const { promise: arrival, resolve: arrive } = Promise.withResolvers<void>();
  const send = store.client.send.bind(store.client);
  const lateWrites: Promise<unknown>[] = [];
  const table = vi.spyOn(store.client, "send").mockImplementationOnce((command) => {
    const write = arrival.then(() => send(command as never));
    lateWrites.push(write.catch(() => {}));
    return write;
  });
  onTestFinished(() => table.mockRestore());
  return { ...aFeed(clock.now, wait), arrive, lateWrites };
}

/** A feed whose first put is acknowledged late; the first request to empty it arrives when `release` is called. */
function aFeedWhoseEmptyingHangs() {
  const clock = aClock();
  const { promise: released, resolve: release } = Promise.withResolvers<void>();
  const send = store.client.send.bind(store.client);
  let isEmptied = false;
  const table = vi
    .spyOn(store.client, "send")
    .mockImplementationOnce(async (command) => {
      await send(command as never);
      clock.ms += 501;
    })
    .mockImplementationOnce(async (command) => {
      await released;
      await send(command as never);
      isEmptied = true;
    });
  onTestFinished(() => table.mockRestore());
  const wait = vi.fn<Runtime["wait"]>(never);
  return { ...aFeed(clock.now, wait), release, wait, isEmptied: () => isEmptied };
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

    await feed.append(orgId, batch);
    await feed.append(stranger, [anEndpointEvent()]);

    expect(await eventsOf(orgId)).toEqual(batch.map(({ id }) => id));
    expect(await eventsOf(stranger)).toHaveLength(1);
  });

  test("is stored without its externalId and its reasons, for a day longer than promised", async () => {
    const { feed, orgId } = aFeed();

    await feed.append(orgId, [aRejection()]);

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
    await feed.append(orgId, published(1));

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
    // The clock was set back meanwhile.
    [-1, 2],
  ])("is appended again if the table takes %i ms to acknowledge it, and read once", async (took, puts) => {
    const clock = aClock();
    const { feed, orgId, published } = aFeed(clock.now);
    const table = slowTable(clock, [took, 10]);

    await feed.append(orgId, published(1));
    await feed.settled();
    table.mockRestore();

    const items = await itemsOf(orgId);
    expect(items).toHaveLength(puts);
    expect(items.filter(({ events }) => unpackEvents(events) !== "[]")).toHaveLength(1);
    expect(await eventsOf(orgId)).toHaveLength(1);
  });

  test.each([501, 900])(
    "gets into the feed if each request takes %i ms",
    async (took) => {
      const clock = aClock();
      const { feed, orgId, published } = aFeed(clock.now);
      const table = slowTable(clock, [took, took, took]);

      await feed.append(orgId, published(1));
      await feed.settled();
      table.mockRestore();

      expect(await eventsOf(orgId)).toHaveLength(1);
      expect(Math.max(...(await positionsOf(orgId))) - NOW.getTime()).toBeLessThanOrEqual(3_000);
    },
    10_000,
  );

  test("is in the feed once, though its first put hangs and arrives after all", async () => {
    const { feed, orgId, published, arrive, lateWrites } = aFeedWhoseFirstPutHangs();

    await feed.append(orgId, published(1));
    await feed.settled();
    const withoutIt = await eventsOf(orgId);
    arrive();
    await lateWrites[0];

    expect((await positionsOf(orgId)).sort()).toEqual([NOW.getTime(), NOW.getTime() + 2_000]);
    expect(withoutIt).toHaveLength(1);
    expect(await eventsOf(orgId)).toEqual(withoutIt);
  });

  test("counts although the SDK has repeated its put, whose first response was lost", async () => {
    const { feed, orgId, published } = aFeed();
    const send = store.client.send.bind(store.client);
    const table = vi.spyOn(store.client, "send").mockImplementationOnce(async (command) => {
      await send(command as never);
      return send(command as never);
    });

    await feed.append(orgId, published(1));
    table.mockRestore();

    expect(await positionsOf(orgId)).toEqual([NOW.getTime()]);
  });

  test("does not wait until a late item is emptied; settled does", async () => {
    const { feed, orgId, published, release, isEmptied } = aFeedWhoseEmptyingHangs();

    await feed.append(orgId, published(1));
    const copies = await eventsOf(orgId);
    release();
    await feed.settled();

    expect(isEmptied()).toBe(true);
    expect(copies).toHaveLength(2);
    expect(await eventsOf(orgId)).toHaveLength(1);
  });

  test("waits a second at most for a late item to be emptied, which the next append does", async () => {
    const { feed, orgId, published, wait } = aFeedWhoseEmptyingHangs();
    const { promise: isOver, resolve: end } = Promise.withResolvers<void>();
    wait.mockImplementation((ms) => (ms === 1_000 ? isOver : never()));

    await feed.append(orgId, published(1));
    end();
    await feed.settled();
    const copies = await eventsOf(orgId);
    wait.mockImplementation(never);
    await feed.append(orgId, published(1));

    expect(copies).toHaveLength(2);
    expect(await eventsOf(orgId)).toHaveLength(2);
  });

  test.each([0, 0.99])("is put under another partition key when its own fails (%d)", async (random) => {
    const { feed, orgId, published } = aFeed(undefined, undefined, () => random);
    const table = vi.spyOn(store.client, "send").mockRejectedValueOnce(new Error("throttled"));

    await feed.append(orgId, published(1));
    await feed.settled();
    table.mockRestore();

    expect(new Set((await itemsOf(orgId)).map(({ pk }) => pk)).size).toBe(2);
    expect(await eventsOf(orgId)).toHaveLength(1);
    expect(logs.lines().map((line) => JSON.parse(line) as unknown)).toMatchObject([
      { message: "request to the event feed failed", orgId, cause: { message: "throttled" } },
    ]);
  });

  test("fails if its second put fails too", async () => {
    const { feed, orgId, published } = aFeed();
    // Each of the two puts is followed by one that empties its item.
    const table = vi.spyOn(store.client, "send");
    for (let put = 0; put < 4; put++) table.mockRejectedValueOnce(new Error("throttled"));

    await expect(feed.append(orgId, published(1))).rejects.toThrow("not acknowledged in time");
    await feed.settled();
    table.mockRestore();
  });

  test("is put under any of the partition keys", async () => {
    const random = vi.fn<Runtime["random"]>();
    const { feed, orgId, published } = aFeed(undefined, undefined, random);
    for (const value of [0, 0.25, 0.5, 0.75]) {
      random.mockReturnValueOnce(value);
      await feed.append(orgId, published(1));
    }

    expect(new Set((await itemsOf(orgId)).map(({ pk }) => pk)).size).toBe(4);
  });

  test("has a position that a cursor can name", async () => {
    const { feed, orgId, published } = aFeed();
    await feed.append(orgId, published(1));

    const [item] = await itemsOf(orgId);
    const cursor = encodedCursor(orgId, String(item?.["sk"]), 1);

    expect(EventsQuery.safeParse({ cursor }).success).toBe(true);
  });

  test("has such a position among more than a hundred items too", async () => {
    const { feed, orgId, published } = aFeed();
    const batch = published(1_205);
    await feed.append(orgId, batch);

    const items = await itemsOf(orgId);
    const cursors = items.map(({ sk }) => encodedCursor(orgId, String(sk), 1));

    expect(items).toHaveLength(101);
    expect(cursors.filter((cursor) => !EventsQuery.safeParse({ cursor }).success)).toEqual([]);
    expect(new Set(await eventsOf(orgId))).toEqual(new Set(batch.map(({ id }) => id)));
  });

  test("is not held up by another organisation's item that cannot be emptied", async () => {
    const clock = aClock();
    const { feed, orgId, published } = aFeed(clock.now);
    const { orgId: stranger } = aFeed();
    const table = slowTable(clock, [501], { emptied: false });

    await feed.append(orgId, published(1));
    await feed.append(stranger, published(1));
    await expect(feed.append(orgId, published(1))).rejects.toMatchObject({
      message: "Items of the event feed could not be emptied.",
      cause: { message: "outage" },
    });
    table.mockRestore();

    expect(await eventsOf(stranger)).toHaveLength(1);
    expect(logs.lines().map((line) => JSON.parse(line) as unknown)).toContainEqual(
      expect.objectContaining({ message: "request to the event feed failed", orgId }),
    );
  });

  test("fails if the table never acknowledges it in time, and leaves no copies, however often", async () => {
    const clock = aClock();
    const { feed, orgId, published } = aFeed(clock.now);
    const batch = published(30);
    const table = slowTable(clock, Array<number>(1_000).fill(2_100));

    for (let time = 0; time < 3; time++) {
      await expect(feed.append(orgId, batch)).rejects.toThrow("not acknowledged in time");
      await feed.settled();
    }
    table.mockRestore();

    expect(await eventsOf(orgId)).toEqual([]);
  });

  test("gets no position that is over three seconds after its append began", async () => {
    const clock = aClock();
    const { feed, orgId, published } = aFeed(clock.now);
    const table = slowTable(clock, [1_500, 0, 0, 1_501]);

    await feed.append(orgId, published(1));
    await feed.settled();
    await expect(feed.append(orgId, published(1))).rejects.toThrow("not acknowledged in time");
    await feed.settled();
    table.mockRestore();

    expect(await eventsOf(orgId)).toHaveLength(1);
  });

  test("has at most two copies of a process, even if the table then takes nothing away", async () => {
    const clock = aClock();
    const { feed, orgId, published } = aFeed(clock.now);
    const batch = published(1);
    const table = slowTable(clock, Array<number>(1_000).fill(2_100), { emptied: false });

    for (let time = 0; time < 5; time++) await expect(feed.append(orgId, batch)).rejects.toThrow();
    table.mockRestore();
    const copies = await eventsOf(orgId);
    await feed.append(orgId, batch);

    expect(copies.length).toBeLessThanOrEqual(2);
    expect(await eventsOf(orgId)).toHaveLength(1);
  });

  test("is not appended again by the process that has appended it, but by another one", async () => {
    const { feed, orgId, published } = aFeed();
    const [first, ...others] = published(3);
    if (!first) throw new Error("There are events.");

    await feed.append(orgId, [first]);
    await feed.append(orgId, [first, ...others]);
    const once = await eventsOf(orgId);
    await new EventFeed(store.client, store.tableName, 30, { ...runtime, now: () => NOW }).append(orgId, [
      first,
    ]);

    expect(once).toHaveLength(3);
    expect(await eventsOf(orgId)).toHaveLength(4);
  });
});

test("a reader ahead of the clock finds nothing yet", async () => {
  const { feed, orgId } = aFeed();

  expect(await feed.read(orgId, LATER.toISOString())).toMatchObject({ shards: [] });
});
