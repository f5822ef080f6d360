import { describe, expect, test, vi } from "vitest";
import type { Life } from "#candidates/outbox/candidate-lives";
import { EventsExpired } from "#contract/errors";
import { EventsQuery } from "#contract/event-feed";
import { eventFeedOf, listEventsServiceOf } from "#webhooks/feed/composition";
import { type ListEventsService, listEvents } from "#webhooks/feed/list-events";
import { runtimeAt } from "../../builders/runtime.ts";
import { SimulatedStore } from "../../simulation/simulated-store.ts";
import { anEndpointEvent, anEvent, EXTERNAL_ID, NOW } from "../builders.ts";

const DAY_MS = 24 * 60 * 60 * 1_000;
const POSITION = `${NOW.toISOString()}#0000000000000000#00`;

function aService(events = [anEvent()], life?: Life) {
  const read = vi.fn<ListEventsService["feed"]["read"]>(async () => ({
    shards: [{ items: [{ position: POSITION, events }], hasMore: true }],
    until: "2026-06-01T12:00:10.000Z",
  }));
  const find = vi.fn<ListEventsService["lives"]["find"]>(async () => life);
  const service: ListEventsService = { feed: { read }, lives: { find }, retentionDays: 30, now: () => NOW };
  const list = (query: Readonly<Record<string, string>> = {}, orgId = "acme") =>
    listEvents(orgId, EventsQuery.parse(query), service);
  return { list, read, find };
}

const ago = (ms: number) => new Date(NOW.getTime() - ms).toISOString();
const LIFE: Life = { isErased: false, firstSequence: 1, externalId: EXTERNAL_ID };

describe("a page of the feed begins", () => {
  test("thirty days ago without a cursor", async () => {
    const { list, read } = aService();
    await list();
    expect(read).toHaveBeenCalledWith("acme", ago(30 * DAY_MS));
  });

  test("a little before since, whose clock may be ahead of the publisher's", async () => {
    const { list, read } = aService();
    await list({ since: "2026-06-01T13:00:00+02:00" });
    expect(read).toHaveBeenCalledWith("acme", "2026-06-01T10:59:58.500Z");
  });

  test("now if since is in the future", async () => {
    const { list, read } = aService();
    await list({ since: "2030-01-01T00:00:00Z" });
    expect(read).toHaveBeenCalledWith("acme", ago(1_500));
  });

  test("where the page before ended", async () => {
    const { list, read } = aService([anEvent(), anEvent()]);
    const { nextCursor } = await list({ limit: "1" });
    read.mockClear();
    const { data } = await list({ cursor: nextCursor });
    expect(read).toHaveBeenCalledWith("acme", POSITION);
    expect(data).toHaveLength(1);
  });
});

describe("a page of the feed is refused", () => {
  test("after a cursor of more than 31 days ago, with the moment from which there are events", async () => {
    const { list } = aService();
    const cursor = (position: string) =>
      Buffer.from(JSON.stringify(["acme", position, 0])).toString("base64url");

    await expect(list({ cursor: cursor(ago(31 * DAY_MS)) })).resolves.toBeDefined();
    await expect(list({ cursor: cursor(ago(31 * DAY_MS + 1)) })).rejects.toThrow(
      new EventsExpired(`cursor: expired; events are kept for 30 days; start with since=${ago(30 * DAY_MS)}`),
    );
  });

  test("since a moment of more than 31 days ago", async () => {
    const { list } = aService();

    await expect(list({ since: ago(31 * DAY_MS - 1_500) })).resolves.toBeDefined();
    await expect(list({ since: ago(31 * DAY_MS - 1_499) })).rejects.toMatchObject({
      code: "events_expired",
      message: expect.stringMatching(/^since: too old; events are kept/),
    });
  });

  test("after the cursor of another organisation", async () => {
    const { list, read } = aService();
    const { nextCursor } = await list();
    read.mockClear();

    await expect(list({ cursor: nextCursor }, "globex")).rejects.toThrow("your organisation");
    expect(read).not.toHaveBeenCalled();
  });
});

test("a deployment's feed lists what was appended to it", async () => {
  const store = new SimulatedStore();
  const dependencies = {
    ...runtimeAt(store.now),
    // The table responds in time by the test's clock.
    wait: () => new Promise<void>(() => {}),
    documentClient: store.client,
    variables: { TABLE_NAME: store.tableName, EVENT_RETENTION_DAYS: "30" },
  };
  const event = anEndpointEvent();

  await eventFeedOf(dependencies).append("acme", [event]);
  store.pass(2_000);

  const { data } = await listEvents("acme", EventsQuery.parse({}), listEventsServiceOf(dependencies));
  expect(data).toEqual([event]);
});

test("a page ends before a response of 6 MB, and the next one begins with the next event of its types", async () => {
  // Seven bytes each in Lambda's response.
  const reasons = Array.from({ length: 50 }, () => ({ code: "unreadable", message: "\u0001".repeat(500) }));
  const rejections = Array.from({ length: 40 }, (_, sequence) => ({
    sequence,
    occurredAt: NOW.toISOString(),
    reasons,
  }));
  const all = rejections.map(({ sequence }) => anEvent({ type: "candidate.validation_failed", sequence }));
  const published = all.flatMap((event) => [anEvent(), event]);
  const { list } = aService(published, { ...LIFE, firstSequence: 0, rejections });
  const types = "candidate.validation_failed";

  const first = await list({ types });
  const second = await list({ types, cursor: first.nextCursor });

  const body = JSON.stringify(first);
  expect(Buffer.byteLength(JSON.stringify({ body }))).toBeLessThan(6_000_000);
  expect(first.data.length).toBeGreaterThanOrEqual(30);
  expect(first.hasMore).toBe(true);
  const ids = [first, second].flatMap(({ data }) => data.map(({ id }) => id));
  expect(ids).toEqual(all.map(({ id }) => id));
});

describe("an event of the feed", () => {
  test("has the externalId of its candidate, which is read once", async () => {
    const { list, find } = aService([anEvent(), anEvent({ sequence: 2 })], LIFE);

    const { data } = await list();

    expect(data).toMatchObject([
      { data: { externalId: EXTERNAL_ID } },
      { data: { externalId: EXTERNAL_ID } },
    ]);
    expect(find).toHaveBeenCalledTimes(1);
  });

  test.each([
    ["an erased candidate", { ...LIFE, isErased: true }],
    ["an earlier life", { ...LIFE, firstSequence: 2 }],
    ["a candidate of which nothing is left", undefined],
  ])("of %s has neither externalId nor reasons", async (_, life) => {
    const { list } = aService([anEvent({ type: "candidate.validation_failed" })], life);

    const { data } = await list();

    expect(data).toMatchObject([{ data: { externalId: null, reasons: null } }]);
  });

  test("about an endpoint is as it was sent", async () => {
    const event = anEndpointEvent();
    const { list, find } = aService([event as never]);

    expect((await list()).data).toEqual([event]);
    expect(find).not.toHaveBeenCalled();
  });
});
