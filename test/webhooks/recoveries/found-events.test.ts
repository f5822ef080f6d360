import { expect, test } from "vitest";
import { newEventId } from "#contract/identifiers";
import { runtime } from "#runtime/runtime";
import { FoundEvents } from "#webhooks/recoveries/found-events";

const ids = (count: number) => Array.from({ length: count }, () => newEventId(runtime));

test("a recovery remembers the last thousand events that it found, in 8 KB", () => {
  const [oldest = "", ...others] = ids(1_001);
  const first = new FoundEvents().with([oldest, ...others.slice(0, 500)]);
  const stored = new FoundEvents(first).with(others.slice(500));

  const found = new FoundEvents(stored);

  expect(stored).toHaveLength(8_000);
  expect(others.every((id) => found.has(id))).toBe(true);
  expect(found.has(oldest)).toBe(false);
});

test("a recovery that has found nothing yet remembers nothing", () => {
  expect(new FoundEvents(new FoundEvents().with([])).has(newEventId(runtime))).toBe(false);
});
