import { beforeEach, describe, expect, test, vi } from "vitest";
import { AbridgedEvent } from "#candidates/outbox/abridged-event";
import type { Life } from "#candidates/outbox/candidate-lives";
import type { DeliveryAttempt } from "#contract/webhook-delivery";
import type { Delivery } from "#webhooks/delivery/delivery";
import { resend } from "#webhooks/delivery/resend";
import { anEndpoint, anEndpointEvent, anEvent, NOW } from "../builders.ts";

const endpoint = anEndpoint();
const event = anEvent();
const send = vi.fn(async (_delivery: Delivery) => {});
beforeEach(() => {
  send.mockClear();
});
const anAttempt: DeliveryAttempt = { attempt: 1, at: NOW.toISOString(), durationMs: 12, statusCode: 500 };

interface Kept {
  readonly active?: boolean;
  readonly orgId?: string;
  readonly attempts?: number;
  readonly sample?: true;
  readonly life?: Life | undefined;
  readonly logged?: boolean;
}

/** Sends an event again of which so much is kept. */
function again({ active = true, orgId = "acme", attempts = 1, sample, logged = true, ...rest }: Kept) {
  const life = "life" in rest ? rest.life : { isErased: false, firstSequence: 1, externalId: "ext-1 ü 😀" };
  const keptEvent = { ...AbridgedEvent.parse(event), ...(sample && { sample }) };
  const record = {
    endpointId: endpoint.id,
    orgId,
    eventId: event.id,
    eventType: event.type,
    status: "failed" as const,
    attempts: Array.from({ length: attempts }, () => anAttempt),
  };
  return resend("acme", endpoint.id, event.id, {
    endpoints: { get: async () => ({ ...endpoint, active }) },
    log: {
      find: async () => (logged ? { record, event: keptEvent } : undefined),
    },
    lives: { find: async () => life },
    queue: { send },
    now: () => NOW,
  });
}

test("a resent delivery has the same event, without its externalId, and the time at which it was resent", async () => {
  await expect(again({ attempts: 99 })).resolves.toEqual({
    orgId: "acme",
    endpointId: endpoint.id,
    eventId: event.id,
    eventType: event.type,
    event: AbridgedEvent.parse(event),
    attempt: 1,
    dueAt: NOW.toISOString(),
    resentAt: NOW.toISOString(),
  });
});

test("an event about an endpoint is resent whatever becomes of candidates", async () => {
  const notice = anEndpointEvent();
  const record = { endpointId: endpoint.id, orgId: "acme", eventId: notice.id, eventType: notice.type };
  const find = vi.fn();

  const delivery = await resend("acme", endpoint.id, notice.id, {
    endpoints: { get: async () => endpoint },
    log: { find: async () => ({ record: { ...record, status: "failed", attempts: [] }, event: notice }) },
    lives: { find },
    queue: { send },
    now: () => NOW,
  });

  expect(delivery).toMatchObject({ eventType: "webhook_endpoint.disabled", event: notice });
  expect(send).toHaveBeenCalledExactlyOnceWith(delivery);
  expect(find).not.toHaveBeenCalled();
});

describe("resending is refused, with the reason, for a delivery", () => {
  const unknown = {
    code: "not_found",
    message:
      "The endpoint has no delivery of this event in the last 30 days. List its deliveries to find one.",
  };
  const erased = {
    code: "invalid_request",
    message:
      "eventId: an event of a candidate that has been neither erased nor created again since is expected",
  };

  test.each<[string, Kept, object]>([
    [
      "to an inactive endpoint",
      { active: false },
      { code: "invalid_request", message: "The endpoint is inactive. Send PATCH with active true first." },
    ],
    ["that is not in the log", { logged: false }, unknown],
    ["of another organisation", { orgId: "other" }, unknown],
    [
      "that was tried a hundred times",
      { attempts: 100 },
      {
        code: "invalid_request",
        message: "eventId: a delivery with fewer than 100 attempts is expected",
      },
    ],
    [
      "that was a sample",
      { sample: true },
      { code: "invalid_request", message: "eventId: the event is a sample: send another with POST …/test" },
    ],
    ["of a candidate who was erased", { life: { isErased: true, firstSequence: 1 } }, erased],
    ["of a candidate of whom nothing is left", { life: undefined }, erased],
  ])("%s", async (_what, kept, error) => {
    await expect(again(kept)).rejects.toMatchObject(error);
    expect(send).not.toHaveBeenCalled();
  });
});
