import { expect, test } from "vitest";
import type { EventType } from "#contract/events";
import type { DeliveryAttempt } from "#contract/webhook-delivery";
import { parseAddress } from "../../../local/console/address.ts";
import { candidateKeyOf, deliveryKeyOf, emptyBoard } from "../../../local/console/board.ts";
import { DeliveryRequests } from "../../../local/console/delivery-requests.ts";
import { countText, limitText } from "../../../local/console/page/counts.ts";
import { Screens } from "../../../local/console/screens.ts";
import { SentRequests } from "../../../local/console/sent-requests.ts";

const CANDIDATES = 1_000;
const EVENTS = 10_000;
const STATUSES = ["received", "verified", "promoted", "validation_failed"] as const;
const TYPES: EventType[] = ["candidate.received", "candidate.verified", "candidate.promoted"];
const at = (index: number) => new Date(Date.UTC(2026, 0, 1) + index).toISOString();
const numbered = (index: number) => String(index).padStart(5, "0");

/** The console's screens of candidates and events, each delivered to one of two endpoints that no longer exist. */
function screens({
  candidates = CANDIDATES,
  events = EVENTS,
  isInFeed = true,
  isReading = false,
} = {}): (url: string) => ReturnType<Screens["of"]> {
  const board = emptyBoard(() => {});
  const common = { orgId: "acme", sample: false };
  // From the last to the first, as a scan returns items in any order.
  for (let index = candidates - 1; index >= 0; index -= 1) {
    const stagedId = `staged_${numbered(index)}`;
    board.candidates.put({
      ...{ key: candidateKeyOf("acme", stagedId), orgId: "acme", stagedId, id: `cand_${numbered(index)}` },
      ...{ externalId: `ats-${numbered(index)}`, status: STATUSES[index % STATUSES.length] ?? "received" },
      ...{ verificationStatus: null, availabilityStatus: null, workReadinessScore: null, actions: [] },
      ...{ receivedAt: at(index), updatedAt: at(index) },
    });
  }
  for (let index = events - 1; index >= 0; index -= 1) {
    const eventId = `evt_${numbered(index)}`;
    const endpointId = `whe_${index % 2}`;
    const eventType = TYPES[index % TYPES.length] ?? "candidate.received";
    const subject = `staged_${numbered(index % CANDIDATES)}`;
    board.events.put({
      ...{ ...common, key: eventId, type: eventType, sequence: 1, subject },
      ...{ occurredAt: at(index), inFeedSince: isInFeed ? at(index) : null },
    });
    board.deliveries.put({
      ...{ ...common, key: deliveryKeyOf(endpointId, eventId), endpointId, eventId, eventType },
      ...{ status: index % 5 === 0 ? "failed" : "delivered", nextAttemptAt: null },
      attempts: [{ attempt: 1, at: at(index), durationMs: 3, statusCode: 200 }],
    });
  }
  const requests = new DeliveryRequests(new SentRequests(), board, { ofEndpoint: () => [] });
  const shown = new Screens({ board, requests, isReading: () => isReading });
  return (url) => {
    const { pathname, searchParams } = new URL(url, "http://localhost");
    if (!searchParams.has("org")) searchParams.set("org", "acme");
    const address = parseAddress(pathname === "/" ? "" : pathname, searchParams);
    if (!address) throw new Error(`There is no view ${url}.`);
    return shown.of(address);
  };
}

const screenOf = screens();

test.for(["/", "/candidates", "/events", "/deliveries", "/deliveries?status=failed", "/?open=staged_00001"])(
  "of 1,000 candidates and 10,000 events, a page with the address %s gets at most 80 items and 48 KiB",
  (url) => {
    const screen = screenOf(url);

    const items = Object.values(screen.lists).flatMap<object>((page) => page?.items ?? []);
    expect(items.length).toBeGreaterThan(0);
    expect(items.length).toBeLessThanOrEqual(80);
    expect(JSON.stringify(screen).length).toBeLessThan(48 * 1024);
  },
);

test("the pages of a list contain every item once, newest first", () => {
  const seen: string[] = [];
  let after = "";
  do {
    const page = screenOf(`/events?${new URLSearchParams({ after })}`).lists.events;
    seen.push(...(page?.items.map(({ key }) => key) ?? []));
    expect(page?.total).toBe(EVENTS);
    after = page?.next ?? "";
  } while (after !== "");

  expect(seen).toEqual(Array.from({ length: EVENTS }, (_, index) => `evt_${numbered(EVENTS - 1 - index)}`));
});

test("the pages of a filtered list contain what matches", () => {
  const first = screenOf("/candidates?status=verified&find=ats-00").lists.candidates;
  const after = String(first?.next);
  const second = screenOf(
    `/candidates?${new URLSearchParams({ status: "verified", find: "ats-00", after })}`,
  );

  expect(first).toMatchObject({ total: 250, items: { length: 50, 0: { externalId: "ats-00997" } } });
  expect(second.lists.candidates?.items[0]).toMatchObject({ externalId: "ats-00797" });
});

test.for([
  ["/candidates?find=ats-0012", 10],
  ["/candidates?find=staged_00123", 1],
  ["/candidates/?find=%20staged_00123%20", 1],
  ["/candidates?find=cand_00123", 1],
  ["/candidates?status=promoted", 250],
  ["/candidates?find=nobody", 0],
  ["/events?type=candidate.verified", 3_333],
  ["/events?candidate=staged_00123", 10],
  ["/events?candidate=ats-00123", 10],
  ["/events?candidate=ats-00123&type=candidate.received", 4],
  ["/deliveries?endpoint=whe_1", 5_000],
  ["/deliveries?endpoint=whe_1&status=failed", 1_000],
  ["/deliveries?type=candidate.promoted&status=failed", 667],
  ["/deliveries?event=evt_00123", 1],
  // A filter of another view.
  ["/candidates?type=candidate.verified", 1_000],
] as const)("the address %s shows %i items", ([url, total]) => {
  const [page] = Object.values(screenOf(url).lists);

  expect(page?.total).toBe(total);
});

test.for([
  ["staged_00123", { kind: "candidate", candidate: { externalId: "ats-00123" }, events: { total: 10 } }],
  ["cand_00123", { kind: "candidate", candidate: { stagedId: "staged_00123" } }],
  ["evt_00123", { kind: "event", event: { externalId: "ats-00123" }, deliveries: { total: 1 } }],
  ["whe_1:evt_00123", { kind: "delivery", delivery: { eventId: "evt_00123" }, endpoint: null }],
  ["whe_0:evt_00123", { kind: "unknown" }],
] as const)("the address opens %s", ([id, shown]) => {
  expect(screenOf(`/?open=${id}`).opened).toMatchObject(shown);
  // Of this organisation alone.
  expect(screenOf(`/?open=${id}&org=other`).opened).toEqual({ kind: "unknown", newestOnly: null });
});

test("the address of an organisation that does not exist is shown as such once the table is read", () => {
  const board = emptyBoard(() => {});
  board.organisations.put({ key: "acme" });
  const requests = new DeliveryRequests(new SentRequests(), board, { ofEndpoint: () => [] });
  const shown = (org: string | undefined, isReading = false) =>
    new Screens({ board, requests, isReading: () => isReading }).of({ view: "overview", org, filters: {} });

  expect(shown("mistyped")).toMatchObject({ organisation: "mistyped", isOrganisationUnknown: true });
  expect(shown("mistyped", true)).toMatchObject({ isOrganisationUnknown: false });
  for (const org of ["acme", undefined]) {
    expect(shown(org)).toMatchObject({ organisation: "acme", isOrganisationUnknown: false });
  }
  // Beyond its limit, the console does not know all organisations.
  for (let index = 0; index < 300; index += 1) board.organisations.put({ key: `org-${index}` });
  expect(shown("mistyped")).toMatchObject({ isOrganisationUnknown: false });
});

test("a delivery shows the candidate of its event, and the outcome of its last attempt", () => {
  const board = emptyBoard(() => {});
  const requests = new DeliveryRequests(new SentRequests(), board, { ofEndpoint: () => [] });
  const shown = new Screens({ board, requests, isReading: () => false });
  const put = (eventId: string, ...attempts: readonly DeliveryAttempt[]) =>
    board.deliveries.put({
      ...{ key: deliveryKeyOf("whe_1", eventId), orgId: "acme", endpointId: "whe_1", eventId, attempts },
      ...{ eventType: "candidate.received", status: "pending", nextAttemptAt: null, sample: false },
    });
  const made = { at: at(0), durationMs: 3 };
  put("evt_1");
  put("evt_2", { ...made, attempt: 1, statusCode: 500 }, { ...made, attempt: 2, failure: "timeout" });
  put("evt_3", { ...made, attempt: 1, failure: "timeout" }, { ...made, attempt: 2, statusCode: 503 });

  const { lists } = shown.of({ view: "deliveries", org: "acme", filters: {} });

  expect(lists.deliveries?.items.map(({ lastOutcome }) => lastOutcome)).toEqual([503, "timeout", null]);
  expect(lists.deliveries?.items[0]?.externalId).toBe(null);
  expect(screenOf("/deliveries?event=evt_00123").lists.deliveries?.items).toMatchObject([
    { externalId: "ats-00123", lastOutcome: 200 },
  ]);
});

test("another organisation's lists are empty", () => {
  const pages = Object.values(screenOf("/?org=other").lists);

  expect(pages.map((page) => page?.total)).toEqual([0, 0, 0, 0]);
});

test.for([
  [true, "2 so far"],
  [false, "2"],
] as const)(
  "an endpoint or a feed item that is not known is missing only once the table is read (%s: %s)",
  ([isReading, count]) => {
    const { lists } = screens({ candidates: 0, events: 2, isInFeed: false, isReading })("/");

    expect(lists.deliveries?.items[0]).toMatchObject({ url: null, isEndpointDeleted: !isReading });
    expect(lists.events?.items[0]).toMatchObject({ awaitsFeed: !isReading });
    expect(lists.events && countText(lists.events, isReading)).toBe(count);
  },
);

test("of more than 10,000 candidates, the console says that it keeps the newest", () => {
  const crowded = screens({ candidates: 10_001, events: 0 });
  const countOf = (url: string) => {
    const { candidates } = crowded(url).lists;
    return candidates && countText(candidates, false);
  };

  expect(countOf("/candidates")).toBe("newest 10,000");
  expect(countOf("/candidates?find=ats-00000")).toBe("0 of the newest 10,000");
  for (const id of ["staged_00000", "cand_00000"]) {
    const { opened } = crowded(`/?open=${id}`);
    expect(opened).toEqual({ kind: "unknown", newestOnly: 10_000 });
  }
  expect(limitText(10_000)).toContain("The console keeps only the newest 10,000.");
  expect(crowded("/?open=evt_00000").opened).toEqual({ kind: "unknown", newestOnly: null });
  expect(countText({ total: 10_000, newestOnly: null }, false)).toBe("10,000");
});
