import { expect, test } from "vitest";
import { timeToLive } from "#runtime/time-to-live";

test("a time to live is in whole seconds", () => {
  expect(timeToLive(Date.parse("2026-06-01T12:00:00.999Z"))).toBe(1_780_315_200);
});
