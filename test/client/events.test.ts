import { afterEach, beforeEach, describe, expect, onTestFinished, test, vi } from "vitest";
import {
  CandidateServiceClient,
  type FeedEvent,
  type FollowQuery,
  type SeenEvents,
} from "../../client/src/index.ts";
import { aFeedEvent, aFeedService, refuse, timeOf } from "./feed-service.ts";
import { aService, responds } from "./scripted-service.ts";

const upTo = (count: number, from = 1) => Array.from({ length: count }, (_, at) => aFeedEvent(from + at));
const idsOf = (events: readonly FeedEvent[]) => events.map(({ id }) => id);

/** A client of a service with these events. */
async function aClientOf(...events: FeedEvent[]) {
  const feed = await aFeedService(...events);
  return { feed, client: new CandidateServiceClient({ baseUrl: feed.baseUrl, apiKey: "rr_dev_secret" }) };
}

function clientOf({ baseUrl }: { readonly baseUrl: string }) {
  return new CandidateServiceClient({ baseUrl, apiKey: "rr_dev_secret", retries: 0 });
}

/** Reads a feed until it has so many events. */
async function take(count: number, client: CandidateServiceClient, query: FollowQuery) {
  const events: FeedEvent[] = [];
  for await (const event of client.events(query)) {
    events.push(event);
    if (events.length === count) break;
  }
  return events;
}

// No backoff: nothing is waited for but what a test is about.
beforeEach(() => {
  vi.spyOn(Math, "random").mockReturnValue(0);
});
afterEach(() => void vi.restoreAllMocks());

describe("the client's events", () => {
  test("are all events of the feed in its order, page by page", async () => {
    const { client, feed } = await aClientOf(...upTo(250));

    const events = await Array.fromAsync(client.events());

    expect(events).toEqual(feed.events);
    expect(feed.queries.map(String)).toEqual(["", "cursor=at-100", "cursor=at-200"]);
  });

  test("are those that the query asks for, and its parameters are the same on every page", async () => {
    const promoted = (number: number) => aFeedEvent(number, { type: "candidate.promoted" });
    const { client, feed } = await aClientOf(aFeedEvent(1), promoted(2), aFeedEvent(3), promoted(4));

    const since = new Date(timeOf(2));
    const events = await Array.fromAsync(
      client.events({ since, types: ["candidate.promoted", "candidate.erased"], limit: 2 }),
    );

    expect(idsOf(events)).toEqual(["evt_2", "evt_4"]);
    expect(feed.queries.map((query) => Object.fromEntries(query))).toEqual([
      { since: since.toISOString(), types: "candidate.promoted,candidate.erased", limit: "2" },
      { cursor: "at-3", types: "candidate.promoted,candidate.erased", limit: "2" },
    ]);
  });

  test("come in pages with a checkpoint, from which a later reader goes on", async () => {
    const { client, feed } = await aClientOf(...upTo(5));
    const pages = await Array.fromAsync(client.events({ limit: 2 }).pages());
    feed.events.push(...upTo(1, 6));

    const first = pages.flatMap(({ data }) => data);
    const afterwards = await Array.fromAsync(client.events({ cursor: pages.at(-1)?.nextCursor }));
    const afterTheFirstPage = await Array.fromAsync(client.events({ cursor: pages[0]?.nextCursor }));

    expect(pages.map(({ data, hasMore }) => [data.length, hasMore])).toEqual([
      [2, true],
      [2, true],
      [1, false],
    ]);
    expect(idsOf(first)).toEqual(["evt_1", "evt_2", "evt_3", "evt_4", "evt_5"]);
    expect(idsOf(afterwards)).toEqual(["evt_6"]);
    expect(idsOf(afterTheFirstPage)).toEqual(["evt_3", "evt_4", "evt_5", "evt_6"]);
  });

  test("fetch no page before its events are asked for", async () => {
    const { client, feed } = await aClientOf(...upTo(250));

    await take(100, client, {});

    expect(feed.queries).toHaveLength(1);
  });

  test("go on beyond pages without events", async () => {
    const { client } = await aClientOf(...upTo(5), aFeedEvent(6, { type: "candidate.promoted" }));

    const events = await Array.fromAsync(client.events({ types: ["candidate.promoted"], limit: 1 }));

    expect(idsOf(events)).toEqual(["evt_6"]);
  });

  test("wait for more only if they are followed", async () => {
    const { client, feed } = await aClientOf(...upTo(2));
    feed.fault = () => {
      // After the response to the third query, which has no events.
      if (feed.queries.length === 3) setImmediate(() => feed.events.push(...upTo(1, 3)));
      return false;
    };

    expect(idsOf(await Array.fromAsync(client.events()))).toEqual(["evt_1", "evt_2"]);
    expect(feed.queries).toHaveLength(1);
    const startedAt = performance.now();
    expect(idsOf(await take(3, client, { follow: true }))).toEqual(["evt_1", "evt_2", "evt_3"]);
    expect(feed.queries).toHaveLength(4);
    // A quarter of a second after a page with events, and a second after one without.
    expect(performance.now() - startedAt).toBeGreaterThan(1_200);
  });

  test("end with the signal's reason when it is aborted, in a wait too", async () => {
    // The clock stands still when it is aborted: a wait that went on would not end.
    vi.useFakeTimers();
    onTestFinished(() => void vi.useRealTimers());
    const reply = vi.fn(async () => Response.json({ data: [], nextCursor: "at-1", hasMore: false }));
    const client = new CandidateServiceClient({ baseUrl: "https://feed", apiKey: "k", fetch: reply });
    const controller = new AbortController();
    const reason = new Error("Enough.");

    const following = Array.fromAsync(client.events({ follow: true }, { signal: controller.signal }));
    const outcome = following.catch((error: unknown) => error);
    await vi.advanceTimersByTimeAsync(300);
    controller.abort(reason);

    expect(await outcome).toBe(reason);
    expect(reply).toHaveBeenCalledOnce();
  });

  test("survive a longer outage only if they are followed", async () => {
    const { client, feed } = await aClientOf(...upTo(1));
    let refusals = 6;
    feed.fault = (response) => {
      refusals -= 1;
      if (refusals >= 0) refuse(response, 503, "service_unavailable", "No.");
      return refusals >= 0;
    };

    expect(idsOf(await take(1, client, { follow: true }))).toEqual(["evt_1"]);
    refusals = 6;
    await expect(Array.fromAsync(client.events())).rejects.toMatchObject({ code: "service_unavailable" });
    expect(refusals).toBe(1);
  });

  test("throw the service's errors, with a separate code for an expired cursor", async () => {
    const { client, feed } = await aClientOf(...upTo(5));
    feed.oldest = 3;
    const refusalOf = (cursor: string) => expect(Array.fromAsync(client.events({ cursor }))).rejects;

    await refusalOf("at-1").toMatchObject({ code: "events_expired", status: 400 });
    await refusalOf("elsewhere").toMatchObject({ code: "invalid_request", status: 400 });
  });

  test.each([0, 1])(
    "end if the service reports more pages, but its cursor does not advance (%i events on each)",
    async (count) => {
      const page = { data: upTo(count), nextCursor: "same", hasMore: true };
      const service = await aService(responds(200, page));
      const client = clientOf(service);

      for (const follow of [true, false]) {
        await expect(Array.fromAsync(client.events({ follow }))).rejects.toMatchObject({
          code: "unexpected_response",
          message: expect.stringContaining("nextCursor"),
        });
      }
      expect(service.requests).toHaveLength(4);
    },
  );

  test("request at most twenty pages a second from a service that always has more", async () => {
    const service = await aService((response, request) => {
      const nextCursor = String(service.requests.length);
      responds(200, { data: [], nextCursor, hasMore: true })(response, request);
    });

    const following = Array.fromAsync(clientOf(service).events({}, { signal: AbortSignal.timeout(1_000) }));

    await expect(following).rejects.toMatchObject({ name: "TimeoutError" });
    expect(service.requests.length).toBeGreaterThan(1);
    expect(service.requests.length).toBeLessThanOrEqual(21);
  });

  describe("of a service that returns only empty pages with new cursors", () => {
    beforeEach(() => void vi.useFakeTimers());
    afterEach(() => void vi.useRealTimers());

    /** Follows the feed for a time, and counts the requests. One page has an event, and one is the end of the feed. */
    async function follow(
      seconds: number,
      query: FollowQuery,
      { eventAt, endAt }: { readonly eventAt?: number; readonly endAt?: number } = {},
    ) {
      let requests = 0;
      const client = new CandidateServiceClient({
        baseUrl: "https://feed",
        apiKey: "k",
        fetch: async () => {
          requests += 1;
          const data = requests === eventAt ? [aFeedEvent(1)] : [];
          return Response.json({ data, nextCursor: String(requests), hasMore: requests !== endAt });
        },
      });
      const controller = new AbortController();
      const following = Array.fromAsync(
        client.events({ ...query, follow: true }, { signal: controller.signal }),
      );
      const outcome = following.catch((error: unknown) => error);
      await vi.advanceTimersByTimeAsync(seconds * 1_000);
      controller.abort(new Error("stopped"));
      return { requests, outcome: await outcome };
    }

    test("end after a thousand empty pages without a filter", async () => {
      const { requests, outcome } = await follow(100, {});

      expect(requests).toBe(1_000);
      expect(outcome).toMatchObject({
        code: "unexpected_response",
        message: expect.stringContaining("the last 1000 were empty"),
      });
    });

    test("slow down to four requests a second after a thousand empty pages with a filter", async () => {
      const { requests, outcome } = await follow(100, { types: ["candidate.erased"] });

      // Fifty seconds at twenty a second, and fifty at four.
      expect(requests).toBeGreaterThan(1_190);
      expect(requests).toBeLessThan(1_210);
      expect(outcome).toMatchObject({ message: "stopped" });
    });

    test("return to the full rate after a page with an event", async () => {
      const { requests, outcome } = await follow(75, {}, { eventAt: 900 });

      expect(requests).toBeGreaterThan(1_450);
      expect(outcome).toMatchObject({ message: "stopped" });
    });

    test.each([{ eventAt: 900, endAt: 900 }, { endAt: 900 }])(
      "count the empty pages anew after the end of the feed: %j",
      async (pages) => {
        const { requests, outcome } = await follow(75, {}, pages);

        expect(requests).toBeGreaterThan(1_450);
        expect(outcome).toMatchObject({ message: "stopped" });
      },
    );
  });

  const page = { data: [aFeedEvent(1)], nextCursor: "next", hasMore: false };
  test.each<[unknown, string]>([
    [undefined, "JSON object"],
    [null, "JSON object"],
    [[], "JSON object"],
    [{ ...page, data: undefined }, "data"],
    [{ ...page, data: {} }, "data"],
    [{ ...page, data: [null] }, "data"],
    [{ ...page, data: [{ ...aFeedEvent(1), id: undefined }] }, "data"],
    [{ ...page, data: [{ ...aFeedEvent(1), type: 1 }] }, "data"],
    [{ ...page, data: [{ ...aFeedEvent(1), occurredAt: "" }] }, "data"],
    [{ ...page, data: [{ ...aFeedEvent(1), occurredAt: "soon" }] }, "data"],
    [{ ...page, data: [{ ...aFeedEvent(1), data: null }] }, "data"],
    [{ ...page, nextCursor: undefined }, "nextCursor"],
    [{ ...page, nextCursor: "" }, "nextCursor"],
    [{ ...page, hasMore: "yes" }, "hasMore"],
  ])("throw unexpected_response after a page that is none: %j", async (body, fault) => {
    const client = clientOf(await aService(responds(200, body)));

    await expect(Array.fromAsync(client.events())).rejects.toMatchObject({
      code: "unexpected_response",
      status: 200,
      requestId: "req-1",
      message: expect.stringContaining(fault),
    });
  });

  const nested = (levels: number): object => (levels === 0 ? {} : { in: nested(levels - 1) });
  test.each<[string, object]>([
    [
      "an event's id is longer than any of the service's",
      { data: [{ ...aFeedEvent(1), id: "e".repeat(1_025) }] },
    ],
    ["its cursor is longer than any of the service's", { nextCursor: "c".repeat(1_025) }],
    [
      "an event's candidate is no text",
      { data: [{ ...aFeedEvent(1), data: { stagedId: { toString: 1 } } }] },
    ],
    ["an event's endpoint is no text", { data: [{ ...aFeedEvent(1), data: { webhookEndpointId: 1 } }] }],
    ["an event is nested too deep", { data: [{ ...aFeedEvent(1), later: nested(150) }] }],
  ])("throw unexpected_response after a page if %s", async (_, members) => {
    const client = clientOf(await aService(responds(200, { ...page, ...members })));

    await expect(Array.fromAsync(client.events())).rejects.toMatchObject({ code: "unexpected_response" });
  });

  test("may have members that the client does not know", async () => {
    const event = { ...aFeedEvent(1), later: 1 };
    const client = clientOf(await aService(responds(200, { ...page, data: [event], later: 2 })));

    expect(await Array.fromAsync(client.events())).toEqual([event]);
  });
});

describe("a query of the client is refused", () => {
  const client = new CandidateServiceClient({ baseUrl: "http://127.0.0.1:9", apiKey: "k" });
  const { signal } = new AbortController();
  const misplaced = new TypeError(
    "query: it has no member signal; pass it in the options, the last argument",
  );

  test("if it contains the signal, which belongs in the options, by the compiler and at run time", async () => {
    // @ts-expect-error
    expect(() => client.events({ follow: true, signal })).toThrow(misplaced);
    // @ts-expect-error
    await expect(client.listEvents({ signal })).rejects.toThrow(misplaced);
    // @ts-expect-error
    await expect(client.reconcile([], { signal })).rejects.toThrow(misplaced);
    // @ts-expect-error
    await expect(client.listWebhookDeliveries("whe_1", { signal })).rejects.toThrow(misplaced);
  });

  test("if a filter is misspelt, which would be ignored", async () => {
    const query = { type: "candidate.received" };

    expect(() => client.events(query as FollowQuery)).toThrow(
      new TypeError("query: it has no member type; expected are cursor, since, types, limit, follow"),
    );
    await expect(client.reconcile([], { follow: true } as FollowQuery)).rejects.toThrow("no member follow");
  });
});

describe("the client sends no query", () => {
  test.each<[string, unknown]>([
    ["query: an object is expected", null],
    ["query: an object is expected", "candidate.received"],
    ["types: a list of event types is expected", { types: "candidate.received" }],
    ["types: a list of event types is expected", { types: [7] }],
    ["since: an RFC 3339 date-time or a valid Date is expected", { since: 1_795_338_000 }],
    ["since: an RFC 3339 date-time or a valid Date is expected", { since: new Date("never") }],
    ["cursor: the nextCursor of an earlier page is expected", { cursor: null }],
    ["limit: a whole number is expected", { limit: "5" }],
  ])("with a member of the wrong type: %s", async (message, given) => {
    const { client, feed } = await aClientOf(...upTo(1));
    const query = given as FollowQuery;

    expect(() => client.events(query)).toThrow(new TypeError(message));
    await expect(client.listEvents(query)).rejects.toThrow(new TypeError(message));
    await expect(client.reconcile([], query)).rejects.toThrow(new TypeError(message));
    expect(feed.queries).toEqual([]);
  });

  test("with follow of another type than a boolean", async () => {
    const { client } = await aClientOf();

    expect(() => client.events({ follow: "no" as never })).toThrow(
      new TypeError("follow: true or false is expected"),
    );
  });

  test.each<[string, unknown]>([
    ["a text", "evt_1"],
    ["nothing", undefined],
    ["an object", { staged_1: [1] }],
    ["a Map of texts", new Map([["staged_1", "12"]])],
    ["a list of numbers", [1, 2]],
    ["a Set of events", new Set(upTo(1))],
    ["a Map of lists of texts", new Map([["staged_1", ["1", "2"]]])],
  ])("to reconcile it with %s, of which no event would be seen", async (_, seen) => {
    const { client, feed } = await aClientOf(...upTo(1));

    await expect(client.reconcile(seen as SeenEvents)).rejects.toThrow(
      new TypeError("seen: a list of ids, a Map of lists of numbers by stagedId, or a function is expected"),
    );
    expect(feed.queries).toEqual([]);
  });
});

/** The three events of one candidate, two of another, and one about an endpoint. */
const story = [
  aFeedEvent(1, { candidate: "a", sequence: 1 }),
  aFeedEvent(2, { candidate: "b", sequence: 7 }),
  aFeedEvent(3, { candidate: "a", sequence: 3 }),
  aFeedEvent(4, { candidate: "a", sequence: 2 }),
  aFeedEvent(5, { candidate: "b", sequence: 8 }),
  {
    id: "evt_6",
    type: "webhook_endpoint.failing",
    apiVersion: "1.2.0",
    occurredAt: timeOf(6),
    data: { webhookEndpointId: "whe_1", failingSince: timeOf(0) },
  },
] satisfies FeedEvent[];

describe("reconciling", () => {
  const allIds = idsOf(story);

  test.each<[string, SeenEvents, string[]]>([
    ["ids", new Set(["evt_1", "evt_2", "evt_4", "evt_6"]), ["evt_3", "evt_5"]],
    ["a list of ids", ["evt_6", "evt_other"], ["evt_1", "evt_2", "evt_3", "evt_4", "evt_5"]],
    ["no ids", [], allIds],
    [
      "numbers by candidate",
      new Map([
        ["staged_a", [1, 2]],
        ["staged_b", [7]],
      ]),
      ["evt_3", "evt_5"],
    ],
    ["a lookup", async ({ id }) => id !== "evt_4", ["evt_4"]],
    ["every id", new Set(allIds), []],
  ])("with %s names exactly what the receiver has missed", async (_, seen, missing) => {
    const { client } = await aClientOf(...story);

    const reconciliation = await client.reconcile(seen, { limit: 2 });

    expect(idsOf(reconciliation.missing)).toEqual(missing);
    expect(reconciliation).toMatchObject({ gaps: [], checked: 6, nextCursor: "at-6" });
  });

  test("returns the numbers that neither the receiver nor the feed has", async () => {
    const { client, feed } = await aClientOf(...story);
    feed.oldest = 2;
    const seen = new Map([
      ["staged_a", [1, 2, 3]],
      ["staged_b", [1, 2, 5]],
      ["staged_c", [4, 9, 10]],
    ]);

    const { missing, gaps } = await client.reconcile(seen);

    expect(idsOf(missing)).toEqual(["evt_5"]);
    expect(gaps).toEqual([
      { stagedId: "staged_b", from: 3, to: 4 },
      { stagedId: "staged_b", from: 6, to: 7 },
      { stagedId: "staged_c", from: 5, to: 8 },
    ]);
    expect([...(seen.get("staged_b") ?? [])]).toEqual([1, 2, 5]);
  });

  test("returns the same gaps for lists that can be read only once", async () => {
    const { client } = await aClientOf(aFeedEvent(1, { candidate: "a", sequence: 5 }));

    const { gaps } = await client.reconcile(new Map([["staged_a", new Set([1, 2, 3]).values()]]));

    expect(gaps).toEqual([{ stagedId: "staged_a", from: 4, to: 4 }]);
  });

  test("does not report the number of an event of an unread type as a gap", async () => {
    const types = ["candidate.promoted"] as const;
    const { client } = await aClientOf(
      aFeedEvent(1, { sequence: 1, type: "candidate.promoted" }),
      aFeedEvent(2, { sequence: 2 }),
      aFeedEvent(3, { sequence: 3, type: "candidate.promoted" }),
    );

    const { missing, gaps } = await client.reconcile(["evt_1"], { types });

    expect(idsOf(missing)).toEqual(["evt_3"]);
    expect(gaps).toEqual([]);
  });

  test("returns an event once if the feed has it twice", async () => {
    const { client } = await aClientOf(aFeedEvent(1), aFeedEvent(2, { sequence: 2 }), aFeedEvent(1));

    expect(idsOf((await client.reconcile(["evt_2"])).missing)).toEqual(["evt_1"]);
  });

  test("continues where the last reconciliation ended", async () => {
    const { client, feed } = await aClientOf(...story);
    const { nextCursor } = await client.reconcile(allIds);
    feed.events.push(aFeedEvent(7, { candidate: "a", sequence: 4 }));

    const { missing, checked } = await client.reconcile([], { cursor: nextCursor });

    expect([idsOf(missing), checked]).toEqual([["evt_7"], 1]);
  });
});
