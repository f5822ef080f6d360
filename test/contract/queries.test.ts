import { describe, expect, test } from "vitest";
import { FindCandidateQuery } from "#contract/candidate-submission";
import { EventsQuery, encodedCursor } from "#contract/event-feed";
import { EVENT_TYPES } from "#contract/events";
import { newEndpointId, newEventId } from "#contract/identifiers";
import { cursorAfter, WebhookDeliveriesQuery } from "#contract/webhook-delivery";
import { runtime } from "#runtime/runtime";
import { judge } from "./judge.ts";

describe("the query of an endpoint's deliveries", () => {
  test("defaults to the first twenty of any status", () => {
    expect(judge(WebhookDeliveriesQuery, {})).toEqual({ value: { limit: 20 } });
  });

  test.each([1, 9, 10, 99, 100])("accepts the limit %i", (limit) => {
    expect(judge(WebhookDeliveriesQuery, { limit: String(limit) })).toEqual({ value: { limit } });
  });

  test.each(["0", "101", "110", "1000", "1.5", "-1", "01", " 1", "1 ", "", "ten", ["1", "2"]])(
    "refuses the limit %j and says what is expected",
    (limit) => {
      expect(judge(WebhookDeliveriesQuery, { limit })).toEqual({
        message: "limit: a whole number from 1 to 100 is expected",
      });
    },
  );

  test.each(["pending", "delivered", "failed", "dropped"])("accepts the status %s", (status) => {
    expect(judge(WebhookDeliveriesQuery, { status })).toEqual({ value: { status, limit: 20 } });
  });

  test("refuses an unknown status", () => {
    expect(judge(WebhookDeliveriesQuery, { status: "lost" })).toEqual({
      message: "status: one of pending, delivered, failed, dropped is expected",
    });
  });

  test("reads a cursor as the event that its page ended with", () => {
    const eventId = newEventId(runtime);

    expect(judge(WebhookDeliveriesQuery, { cursor: cursorAfter(eventId) })).toEqual({
      value: { cursor: eventId, limit: 20 },
    });
  });

  test.each([
    ["nothing", ""],
    ["an event's id itself", newEventId(runtime)],
    ["the cursor of an endpoint's id", cursorAfter(newEndpointId(runtime))],
    ["a cursor with padding", `${cursorAfter(newEventId(runtime))}=`],
    ["a cursor that is cut short", cursorAfter(newEventId(runtime)).slice(0, -1)],
    ["two cursors", [cursorAfter(newEventId(runtime)), cursorAfter(newEventId(runtime))]],
  ])("refuses as a cursor %s, and says what is expected", (_what, cursor) => {
    expect(judge(WebhookDeliveriesQuery, { cursor })).toEqual({
      message: "cursor: the nextCursor of the previous page is expected",
    });
  });
});

describe("the query of events", () => {
  const POSITION = "2026-06-01T12:00:00.000Z";
  const cursorOf = (...parts: readonly unknown[]) => Buffer.from(JSON.stringify(parts)).toString("base64url");

  test("defaults to the first hundred of any type, and ignores other parameters", () => {
    expect(judge(EventsQuery, { page: "2" })).toEqual({ value: { limit: 100 } });
  });

  test.each([1, 9, 10, 99, 100])("accepts the limit %i", (limit) => {
    expect(judge(EventsQuery, { limit: String(limit) })).toEqual({ value: { limit } });
  });

  test.each(["0", "101", "110", "1000", "1.5", "-1", "01", " 1", "1 ", "", "ten", ["1", "2"]])(
    "refuses the limit %j and says what is expected",
    (limit) => {
      expect(judge(EventsQuery, { limit })).toEqual({
        message: "limit: a whole number from 1 to 100 is expected",
      });
    },
  );

  test.each([
    ["2026-06-01T14:00:00+02:00", POSITION],
    ["2016-12-31T23:59:60Z", "2016-12-31T23:59:59.000Z"],
  ])("reads since=%s as a moment", (since, moment) => {
    expect(judge(EventsQuery, { since })).toEqual({ value: { since: new Date(moment), limit: 100 } });
  });

  test.each(["2026-06-01", "2026-06-01T12:00:00", "yesterday", ""])("refuses since=%s", (since) => {
    expect(judge(EventsQuery, { since })).toEqual({
      message: "since: an RFC 3339 date-time with Z or an offset (its + encoded as %2B) is expected",
    });
  });

  test("reads types separated by commas", () => {
    const types = ["candidate.received", "webhook_endpoint.disabled"];

    expect(judge(EventsQuery, { types: types.join(",") })).toEqual({ value: { types, limit: 100 } });
  });

  test.each([
    "",
    "candidate.hired",
    "candidate.received,",
    "candidate.received;candidate.erased",
    ["a", "b"],
  ])("refuses the types %j and lists the known ones", (types) => {
    expect(judge(EventsQuery, { types })).toEqual({
      message: `types: event types, separated by commas, are expected: ${EVENT_TYPES.join(", ")}`,
    });
  });

  test.each([POSITION, `${POSITION}#0123456789abcdef#07`])(
    "reads a cursor as the position that its page ended at: %s",
    (position) => {
      expect(judge(EventsQuery, { cursor: encodedCursor("acme", position, 3) })).toEqual({
        value: { cursor: ["acme", position, 3], limit: 100 },
      });
    },
  );

  test.each([
    ["nothing", ""],
    ["a position itself", POSITION],
    ["no JSON", Buffer.from("[").toString("base64url")],
    ["too little", cursorOf("acme", POSITION)],
    ["a position with something before it", cursorOf("acme", `+${POSITION}`, 0)],
    ["a position with something after it", cursorOf("acme", `${POSITION}#0123456789abcdef#07#`, 0)],
    ["a position at no moment", cursorOf("acme", "2026-13-26T12:00:00.000Z", 0)],
    ["a part of an item's events", cursorOf("acme", POSITION, 0.5)],
    ["fewer events than none", cursorOf("acme", POSITION, -1)],
    ["two cursors", [cursorOf("acme", POSITION, 0), cursorOf("acme", POSITION, 0)]],
  ])("refuses as a cursor %s, and says what is expected", (_what, cursor) => {
    expect(judge(EventsQuery, { cursor })).toEqual({
      message: "cursor: the nextCursor of the previous page is expected",
    });
  });

  test("refuses since together with a cursor", () => {
    expect(judge(EventsQuery, { cursor: cursorOf("acme", POSITION, 0), since: POSITION })).toEqual({
      message: "since: cannot be combined with a cursor",
    });
  });
});

describe("the query of a candidate", () => {
  test("requires an externalId and ignores other parameters", () => {
    expect(judge(FindCandidateQuery, { externalId: "1", page: "2" })).toEqual({
      value: { externalId: "1" },
    });
  });

  test.each([
    [{}, "required"],
    [{ externalId: "" }, "expected"],
    [{ externalId: ["1", "2"] }, "expected"],
  ])("refuses %j and says what is expected", (query, problem) => {
    expect(judge(FindCandidateQuery, query)).toEqual({
      message: `externalId: a string of 1 to 128 characters is ${problem}`,
    });
  });
});
