import { expect, test } from "vitest";
import { duration } from "../../../client/terminal/duration.ts";

test.each([
  [0.2, "1 s"],
  [59, "59 s"],
  [60, "1 min 0 s"],
  [61, "1 min 1 s"],
  [3599.5, "1 h 0 min"],
  [3600 * 5 + 60 * 7, "5 h 7 min"],
  [Number.POSITIVE_INFINITY, "more than 100 days"],
])("a duration of %d seconds is shown as %s", (seconds, text) => {
  expect(duration(seconds)).toBe(text);
});
