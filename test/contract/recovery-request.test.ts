import { describe, expect, test } from "vitest";
import { RecoveryRequest } from "#contract/recovery";
import { judge } from "./judge.ts";

const since = "2026-06-01T14:00:00+02:00";
const moment = new Date(since);

describe("the request of a recovery", () => {
  test("needs no more than a moment, which it reads in any offset", () => {
    expect(judge(RecoveryRequest, { since })).toEqual({ value: { since: moment } });
  });

  test("has an end and event types of its own, each of them once", () => {
    const eventTypes = ["candidate.received", "candidate.erased"];

    expect(
      judge(RecoveryRequest, { since, until: since, eventTypes: [...eventTypes, ...eventTypes] }),
    ).toEqual({ value: { since: moment, until: moment, eventTypes } });
  });

  test.each([
    [{}, "since: an RFC 3339 date-time with Z or an offset is required"],
    [{ since: "2026-06-01" }, "since: an RFC 3339 date-time with Z or an offset is expected"],
    [{ since, until: null }, "until: an RFC 3339 date-time with Z or an offset is expected"],
    [{ since, eventTypes: [] }, `eventTypes: an array of 1 to 100 event types is expected`],
    [{ since, from: since }, "from: no member of this name is expected"],
  ])("is refused with what is expected (%#)", (request, message) => {
    expect(judge(RecoveryRequest, request)).toEqual({ message });
  });
});
