import { expect, test } from "vitest";
import { parseRetryAfter } from "../../client/src/retry-after.ts";

test.each([
  ["3", 3000],
  ["0", 0],
  ["Thu, 01 Jan 2026 00:00:10 GMT", 10_000],
  ["Wed, 31 Dec 2025 23:59:00 GMT", 0],
  ["soon", undefined],
  ["1.5", undefined],
  ["-1", undefined],
  ["2026-01-01T00:00:10Z", undefined],
  [null, undefined],
])("Retry-After %s is parsed as %s ms", (value, expected) => {
  expect(parseRetryAfter(value, Date.parse("2026-01-01T00:00:00Z"))).toBe(expected);
});
