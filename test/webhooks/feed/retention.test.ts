import { expect, test } from "vitest";
import { EventRetentionDays } from "#webhooks/feed/retention";

test.each([1, 30, 90])("events are kept for %s days if an environment says so", (days) => {
  expect(EventRetentionDays.parse(String(days))).toBe(days);
});

test.each([0, 91, 1.5, Number.NaN])("no environment keeps events for %s days", (days) => {
  expect(EventRetentionDays.safeParse(String(days)).success).toBe(false);
});
