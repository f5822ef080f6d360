import { describe, expect, test } from "vitest";
import type * as z from "zod/mini";
import { DeadLetterList, RedriveDeadLetters, Redriven } from "#webhooks/dead-letters/dead-letter-commands";
import { DeliveryList, InspectDeliveries, RedeliverEvent } from "#webhooks/delivery/delivery-commands";
import {
  ResealedSigningSecrets,
  ResealSigningSecrets,
  RotatedKeyring,
  RotateKeyring,
} from "#webhooks/endpoints/keyring-commands";
import { judge } from "../../contract/judge.ts";

const EVENT_ID = `evt_${"0".repeat(26)}`;
const endpoint = { orgId: "acme", endpointId: `whe_${"0".repeat(26)}` };

describe("the platform's delivery functions accept", () => {
  test.each<[string, z.ZodMiniType, object]>([
    ["one of them to list", InspectDeliveries, { ...endpoint, limit: 1 }],
    [
      "a hundred of them to list after another",
      InspectDeliveries,
      { ...endpoint, limit: 100, after: EVENT_ID },
    ],
    ["a delivery to send again", RedeliverEvent, { ...endpoint, eventId: EVENT_ID }],
    ["dead deliveries to put back", RedriveDeadLetters, { queue: "deliveries" }],
    ["events to publish", RedriveDeadLetters, { queue: "events" }],
    ["sweeps to repeat", RedriveDeadLetters, { queue: "sweeps" }],
    ["a rotation of the keyring", RotateKeyring, {}],
    ["a round of sealing anew", ResealSigningSecrets, {}],
  ])("%s", (_what, schema, input) => {
    expect(judge(schema, input)).toEqual({ value: input });
  });

  test("an endpoint's deliveries to list, fifty by default", () => {
    expect(judge(InspectDeliveries, endpoint)).toEqual({ value: { ...endpoint, limit: 50 } });
  });
});

describe("the platform's delivery functions refuse, with what is expected,", () => {
  const limit = "limit: a whole number from 1 to 100 is expected";
  const after = "after: the id of the last event of the previous page is expected";
  const unknown = "force: no member of this name is expected";

  test.each<[string, z.ZodMiniType, object, string]>([
    [
      "a list of no endpoint",
      InspectDeliveries,
      { orgId: "acme" },
      "endpointId: a webhook endpoint's id is required",
    ],
    ["no delivery", InspectDeliveries, { ...endpoint, limit: 0 }, limit],
    ["more than a hundred deliveries", InspectDeliveries, { ...endpoint, limit: 101 }, limit],
    ["a list after what is no event", InspectDeliveries, { ...endpoint, after: "evt_x" }, after],
    ["a list with an unknown member", InspectDeliveries, { ...endpoint, force: true }, unknown],
    ["a resend of no event", RedeliverEvent, endpoint, "eventId: an event's id is required"],
    [
      "a resend to no endpoint",
      RedeliverEvent,
      { orgId: "acme", endpointId: "whe_1", eventId: EVENT_ID },
      "endpointId: a webhook endpoint's id is expected",
    ],
    [
      "a resend of what is no event",
      RedeliverEvent,
      { ...endpoint, eventId: "evt_x" },
      "eventId: an event's id is expected",
    ],
    ["a redrive with an unknown member", RedriveDeadLetters, { queue: "events", force: true }, unknown],
    ["a rotation with an unknown member", RotateKeyring, { force: true }, unknown],
    ["a round of sealing with an unknown member", ResealSigningSecrets, { force: true }, unknown],
  ])("%s", (_what, schema, input, message) => {
    expect(judge(schema, input)).toEqual({ message });
  });

  test("an unknown queue", () => {
    expect(RedriveDeadLetters.safeParse({ queue: "other" }).success).toBe(false);
  });
});

describe("the platform command reads", () => {
  const untold = { eventId: null, eventType: null, endpointId: null, orgId: null };
  const delivery = {
    ...endpoint,
    eventId: "evt_1",
    eventType: "candidate.received",
    status: "dropped",
    attempts: [],
    reason: "candidate_erased",
  };

  test.each<[string, z.ZodMiniType, object]>([
    ["deliveries", DeliveryList, { data: [delivery] }],
    [
      "dead letters",
      DeadLetterList,
      {
        data: [
          { queue: "deliveries", ...endpoint, eventId: "evt_1", eventType: "candidate.received" },
          { queue: "events", ...untold },
          { queue: "sweeps", ...untold },
        ],
      },
    ],
    ["what a redrive came to", Redriven, { redriven: 2, left: 1 }],
    ["the key that seals", RotatedKeyring, { current: "2" }],
    ["how many endpoints were sealed anew", ResealedSigningSecrets, { resealed: 3, unopened: 0 }],
  ])("everything that a delivery function returns: %s", (_what, schema, result) => {
    expect(schema.parse(result)).toEqual(result);
    expect(schema.safeParse({}).success).toBe(false);
  });
});
