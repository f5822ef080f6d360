import { describe, expect, test } from "vitest";
import { EventPage } from "#contract/event-feed";
import { anExternalId, aSubmission } from "../builders/submission.ts";
import { type Caller, received } from "./client.ts";
import { advance, anOrganisation } from "./platform.ts";
import { aReceiver } from "./receiver.ts";
import { registered } from "./webhook-client.ts";

function feedOf(caller: Caller) {
  const get = (query: Readonly<Record<string, string>> = {}) =>
    caller.send({ method: "GET", path: `/v1/events?${new URLSearchParams(query)}` });
  const page = async (query: Readonly<Record<string, string>> = {}) => {
    const { status, text, body } = await get(query);
    expect(status, text).toBe(200);
    expect(EventPage.parse(body)).toEqual(body);
    return body as EventPage;
  };
  /** Follows the cursor until so many events have been read, some of them more than once. */
  const follow = async (count: number, query: Readonly<Record<string, string>> = {}) => {
    const events = new Map<string, EventPage["data"][number]>();
    let next: Readonly<Record<string, string>> = query;
    await expect
      .poll(async () => {
        const { data, nextCursor } = await page(next);
        for (const event of data) events.set(event.id, event);
        const { since: _, ...others } = query;
        next = { ...others, cursor: nextCursor };
        return events.size;
      })
      .toBeGreaterThanOrEqual(count);
    return [...events.values()];
  };
  return { get, page, follow };
}

/** The event's place among its candidate's: in the feed, one whose item was put twice may stand behind a later one. */
const numberOf = (event: object) => Number("sequence" in event && event.sequence);

describe("the event feed", () => {
  test("returns what a webhook delivers, before there was an endpoint too", async () => {
    const { orgId, caller } = await anOrganisation();
    const { follow } = feedOf(caller);
    const unseen = await received(caller, aSubmission());
    const receiver = await aReceiver();
    await registered(caller, receiver.url);
    const seen = await received(caller, aSubmission());
    await advance(orgId, seen, "fail-validation", {
      reasons: [{ code: "cv_unreadable", message: "The CV could not be opened." }],
    });
    const deliveries = await receiver.waitFor(2);

    const events = await follow(3);

    expect(events.map(({ data }) => data).filter((data) => "stagedId" in data)).toHaveLength(3);
    expect(events).toContainEqual(
      expect.objectContaining({
        type: "candidate.received",
        data: expect.objectContaining({ stagedId: unseen }),
      }),
    );
    for (const { event } of deliveries) expect(events).toContainEqual(event);
  });

  test("numbers each candidate's events without gaps, and ends with its erasure", async () => {
    const { orgId, caller } = await anOrganisation();
    const { follow, page } = feedOf(caller);
    const externalId = anExternalId();
    const stagedId = await received(caller, aSubmission({ externalId }));
    await advance(orgId, stagedId, "fail-validation", {
      reasons: [{ code: "cv_unreadable", message: "The CV could not be opened." }],
    });
    expect(JSON.stringify(await follow(2))).toContain(externalId);
    await advance(orgId, stagedId, "erase");

    const events = (await follow(3)).sort((left, right) => numberOf(left) - numberOf(right));

    expect(events.map(numberOf)).toEqual([1, 2, 3]);
    expect(events[1]?.data).toMatchObject({ externalId: null, reasons: null });
    expect(JSON.stringify(await page())).not.toContain(externalId);
  });

  test("can be read by type, in pages, since a moment, and polled", async () => {
    const { orgId, caller } = await anOrganisation();
    const { follow, page } = feedOf(caller);
    const stagedId = await received(caller, aSubmission());
    await advance(orgId, stagedId, "verify");
    await advance(orgId, stagedId, "promote");
    await follow(3);

    const [verified] = await follow(1, { types: "candidate.verified,candidate.erased", limit: "1" });
    const first = await page({ limit: "2" });
    const second = await page({ limit: "2", cursor: first.nextCursor });
    const recent = await page({ since: new Date(Date.now() + 60_000).toISOString() });

    expect(verified?.type).toBe("candidate.verified");
    expect([first.data.length, first.hasMore, second.hasMore]).toEqual([2, true, false]);
    expect([...first.data, ...second.data].map(numberOf).sort()).toEqual([1, 2, 3]);
    expect(recent).toMatchObject({ data: [], hasMore: false });
    await received(caller, aSubmission());
    const [polled] = await follow(1, { cursor: second.nextCursor });
    expect(polled?.type).toBe("candidate.received");
  });
});

describe("the event feed of another organisation", () => {
  test("cannot be read, with its cursor neither", async () => {
    const { caller: stranger } = await anOrganisation();
    await received(stranger, aSubmission());
    await feedOf(stranger).follow(1);
    const { nextCursor: cursor } = await feedOf(stranger).page({ limit: "1" });
    const { caller } = await anOrganisation();
    const { get, page } = feedOf(caller);

    expect((await page()).data).toEqual([]);
    expect(await get({ cursor })).toMatchObject({
      status: 400,
      body: { error: "invalid_request", message: "cursor: a nextCursor of your organisation is expected" },
    });
  });
});

describe("a query of the event feed", () => {
  const refusals: [Readonly<Record<string, string>>, string][] = [
    [{ cursor: "" }, "cursor: the nextCursor of the previous page is expected"],
    [{ cursor: "bm90IGpzb24" }, "cursor: the nextCursor of the previous page is expected"],
    [{ limit: "0" }, "limit: a whole number from 1 to 100 is expected"],
    [{ limit: "101" }, "limit: a whole number from 1 to 100 is expected"],
    [{ types: "candidate.lost" }, "types: event types, separated by commas, are expected"],
    [{ types: "" }, "types: event types, separated by commas, are expected"],
    [
      { since: "2026-01-01" },
      "since: an RFC 3339 date-time with Z or an offset (its + encoded as %2B) is expected",
    ],
  ];

  test.each(refusals)("is refused with %j", async (query, message) => {
    const { caller } = await anOrganisation();
    const { status, body } = await feedOf(caller).get(query);

    expect(status).toBe(400);
    expect(body).toEqual({ error: "invalid_request", message: expect.stringContaining(message) });
  });

  test("since a moment of which events are no longer kept is refused with a code of its own", async () => {
    const { caller } = await anOrganisation();

    expect(await feedOf(caller).get({ since: "2020-01-01T00:00:00Z" })).toMatchObject({
      status: 400,
      body: {
        error: "events_expired",
        message: expect.stringMatching(/^since: too old; events are kept for 30 days; start with since=20/),
      },
    });
  });

  test("is refused with both a cursor and a moment, and with a repeated one", async () => {
    const { caller } = await anOrganisation();
    const { get, page } = feedOf(caller);
    const { nextCursor: cursor } = await page();
    const now = new Date().toISOString();

    expect((await get({ cursor, since: now })).body).toMatchObject({
      message: "since: cannot be combined with a cursor",
    });
    expect((await caller.send({ method: "GET", path: "/v1/events?limit=1&limit=2" })).status).toBe(400);
  });
});
