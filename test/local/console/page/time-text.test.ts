import { expect, test } from "vitest";
import { timeText } from "../../../../local/console/page/time-text.ts";

const now = new Date(2026, 10, 28, 17, 30);

test.for([
  ["now", now, ""],
  ["the first moment of today", new Date(2026, 10, 28), ""],
  ["the last moment of yesterday", new Date(2026, 10, 27, 23, 59, 59, 999), "2026-11-27 "],
  ["the same time a year earlier", new Date(2025, 10, 28, 17, 30), "2025-11-28 "],
  ["tomorrow", new Date(2026, 10, 29, 0, 0, 0, 5), "2026-11-29 "],
] as const)("the console shows the date of a time unless it is today: %s", ([, at, date]) => {
  expect(timeText(at, now)).toMatch(new RegExp(`^${date}\\d\\d:\\d\\d:\\d\\d[.,]\\d{3}$`));
});
