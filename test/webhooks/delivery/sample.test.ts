import { expect, test, vi } from "vitest";
import { CANDIDATE_EVENT_TYPES, ENDPOINT_EVENT_TYPES, type EventType, WebhookEvent } from "#contract/events";
import type { Delivery } from "#webhooks/delivery/delivery";
import { sampleOf, sendSample } from "#webhooks/delivery/sample";
import { runtimeAt } from "../../builders/runtime.ts";
import { anEndpoint, NOW } from "../builders.ts";

const sample = (type: WebhookEvent["type"]) =>
  sampleOf(
    type,
    runtimeAt(() => NOW),
  );

test.each(ENDPOINT_EVENT_TYPES)("a sample of %s is such an event about an invented endpoint", (type) => {
  const event = sample(type);
  const failingFor = (type === "webhook_endpoint.disabled" ? 5 : 1) * 24 * 60 * 60 * 1_000;

  expect(WebhookEvent.parse(event)).toEqual(event);
  expect(event).toMatchObject({
    type,
    occurredAt: NOW.toISOString(),
    sample: true,
    data: {
      webhookEndpointId: `whe_${"0".repeat(26)}`,
      failingSince: new Date(NOW.getTime() - failingFor).toISOString(),
    },
  });
  const disabled = { disabledAt: NOW.toISOString(), disabledReason: "failing" };
  if (type === "webhook_endpoint.disabled") expect(event.data).toMatchObject(disabled);
  else expect(event.data).not.toHaveProperty("disabledAt");
  expect(sample(type).id).not.toBe(event.id);
});

test.each(CANDIDATE_EVENT_TYPES)("a sample of %s is about an invented candidate", (type) => {
  expect(sample(type)).toMatchObject({ type, sample: true, data: { stagedId: `staged_${"0".repeat(26)}` } });
});

test.each<[string, EventType | undefined, EventType]>([
  ["the first type that the endpoint is subscribed to", undefined, "candidate.promoted"],
  ["the type that was requested, whatever the subscription", "candidate.erased", "candidate.erased"],
])("a sample is of %s", async (_which, requested, eventType) => {
  const endpoint = anEndpoint({ eventTypes: ["candidate.promoted", "candidate.received"] });
  const send = vi.fn(async (_delivery: Delivery) => {});

  await sendSample("acme", endpoint.id, requested, {
    ...runtimeAt(() => NOW),
    endpoints: { get: async () => endpoint },
    queue: { send },
  });

  const delivery = { orgId: "acme", endpointId: endpoint.id, eventType, sample: true, attempt: 1 };
  expect(send).toHaveBeenCalledExactlyOnceWith(expect.objectContaining(delivery));
});
