import { describe, expect, test } from "vitest";
import { EVENT_TYPES } from "#contract/events";
import { WebhookEndpointRegistration, WebhookEndpointUpdate } from "#contract/webhook-endpoint";
import { judge } from "./judge.ts";

const HTTPS = "https://receiver.example.com/";
const registration = { url: HTTPS, eventTypes: ["candidate.received"] };
const longest = HTTPS + "a".repeat(2048 - HTTPS.length);

const urlIs = (problem: "expected" | "required") =>
  `url: an absolute https URL in ASCII, without user name and password, of at most 2048 characters, is ${problem}`;
const eventTypesAre = (problem: "expected" | "required") =>
  `eventTypes: an array of 1 to 100 event types is ${problem}`;

describe("a registration of a webhook endpoint", () => {
  test.each([
    HTTPS,
    "HTTPS://receiver.example.com",
    "https://receiver.example.com:8443/hooks?tenant=1#here",
    "https://receiver.example.com?at=a@b",
    "http://localhost:8080/",
    longest,
  ])("accepts the url %s unchanged", (url) => {
    expect(judge(WebhookEndpointRegistration, { ...registration, url })).toEqual({
      value: { ...registration, url },
    });
  });

  test.each([
    "receiver.example.com",
    "ftp://receiver.example.com/",
    "xhttps://receiver.example.com/",
    "https:receiver.example.com",
    "https://",
    "https:///hooks",
    "https://user:secret@receiver.example.com/",
    "https://receiver.example.com/ ",
    `${longest}a`,
    "",
    1,
    null,
  ])("refuses the url %j and says what is expected", (url) => {
    expect(judge(WebhookEndpointRegistration, { ...registration, url })).toEqual({
      message: urlIs("expected"),
    });
  });

  test("accepts every event type, and keeps a repeated one once", () => {
    const eventTypes = [...EVENT_TYPES, ...EVENT_TYPES];

    expect(judge(WebhookEndpointRegistration, { ...registration, eventTypes })).toEqual({
      value: { ...registration, eventTypes: EVENT_TYPES },
    });
  });

  test.each([[[]], [null], ["candidate.received"]])("refuses the event types %j", (eventTypes) => {
    expect(judge(WebhookEndpointRegistration, { ...registration, eventTypes })).toEqual({
      message: eventTypesAre("expected"),
    });
  });

  test("accepts a hundred entries, and refuses a million without reading them all", () => {
    const entries = (length: number) => Array.from({ length }, () => EVENT_TYPES[0]);

    expect(judge(WebhookEndpointRegistration, { ...registration, eventTypes: entries(100) })).toEqual({
      value: { ...registration, eventTypes: [EVENT_TYPES[0]] },
    });
    for (const eventTypes of [entries(101), Array(1_000_000).fill(0)]) {
      expect(judge(WebhookEndpointRegistration, { ...registration, eventTypes })).toEqual({
        message: eventTypesAre("expected"),
      });
    }
  });

  test("refuses an unknown event type and lists the known ones", () => {
    expect(
      judge(WebhookEndpointRegistration, {
        ...registration,
        eventTypes: ["candidate.received", "candidate.hired"],
      }),
    ).toEqual({ message: `eventTypes[1]: one of ${EVENT_TYPES.join(", ")} is expected` });
  });

  test("names the missing members", () => {
    expect(judge(WebhookEndpointRegistration, {})).toEqual({
      message: `${urlIs("required")}; ${eventTypesAre("required")}`,
    });
  });

  test.each([null, "", "x".repeat(500)])(
    "accepts a description that is null or of 500 characters (%#)",
    (description) => {
      expect(judge(WebhookEndpointRegistration, { ...registration, description })).toEqual({
        value: { ...registration, description },
      });
    },
  );

  test.each(["x".repeat(501), 1])(
    "refuses a longer description, or one of another type (%#)",
    (description) => {
      expect(judge(WebhookEndpointRegistration, { ...registration, description })).toEqual({
        message: "description: a string of at most 500 characters, or null, is expected",
      });
    },
  );
});

describe("an update of a webhook endpoint", () => {
  test.each([
    {},
    { active: true },
    { active: false },
    { url: HTTPS },
    { eventTypes: ["candidate.erased"] },
    { description: null },
  ])("accepts any subset of members: %j", (update) => {
    expect(judge(WebhookEndpointUpdate, update)).toEqual({ value: update });
  });

  test.each<[object, string]>([
    [{ active: null }, "active: true or false is expected"],
    [{ url: "https://" }, urlIs("expected")],
    [{ eventTypes: [] }, eventTypesAre("expected")],
    [{ signingSecret: "whsec_1" }, "signingSecret: no member of this name is expected"],
  ])("refuses %j and says what is expected", (update, message) => {
    expect(judge(WebhookEndpointUpdate, update)).toEqual({ message });
  });
});
