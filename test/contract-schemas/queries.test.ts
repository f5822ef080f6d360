import { describe, expect, test } from "vitest";
import { FindCandidateQuery } from "#contract/find-candidate-query";
import { newEndpointId, newEventId } from "#contract/identifiers";
import { cursorAfter, WebhookDeliveriesQuery } from "#contract/webhook-delivery";
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
    const eventId = newEventId();

    expect(judge(WebhookDeliveriesQuery, { cursor: cursorAfter(eventId) })).toEqual({
      value: { cursor: eventId, limit: 20 },
    });
  });

  test.each([
    ["nothing", ""],
    ["an event's id itself", newEventId()],
    ["the cursor of an endpoint's id", cursorAfter(newEndpointId())],
    ["a cursor with padding", `${cursorAfter(newEventId())}=`],
    ["a cursor that is cut short", cursorAfter(newEventId()).slice(0, -1)],
    ["two cursors", [cursorAfter(newEventId()), cursorAfter(newEventId())]],
  ])("refuses as a cursor %s, and says what is expected", (_what, cursor) => {
    expect(judge(WebhookDeliveriesQuery, { cursor })).toEqual({
      message: "cursor: the nextCursor of the previous page is expected",
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
