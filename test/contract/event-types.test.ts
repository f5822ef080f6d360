import { expect, test } from "vitest";
import { EVENT_TYPES, isEndpointEvent } from "#contract/events";

test.each(EVENT_TYPES)("an event %s is about what its type begins with", (type) => {
  expect(isEndpointEvent({ type })).toBe(type.startsWith("webhook_endpoint."));
});
