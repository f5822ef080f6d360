import { expect, test } from "vitest";
import { CANDIDATE_EVENT_TYPES, ENDPOINT_EVENT_TYPES, WebhookEvent } from "#contract/events";
import { sampleOf } from "#webhooks/delivery/sample";
import { runtimeAt } from "../../builders/runtime.ts";
import { NOW } from "../builders.ts";

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
