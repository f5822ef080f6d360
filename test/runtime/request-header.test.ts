import { expect, test } from "vitest";
import { headerOf } from "#runtime/request-header";

test.each([
  ["once", { "If-Match": ['"1"'] }, '"1"'],
  ["several times, as one list", { "If-Match": ['"1"', 'W/"2"'] }, '"1", W/"2"'],
  ["several times in different cases", { "If-Match": ['"1"'], "if-match": ['"2"'] }, '"1", "2"'],
  ["never", { "If-None-Match": ['"1"'] }, undefined],
])("reads a header that was sent %s", (_what, multiValueHeaders, value) => {
  const headers = Object.fromEntries(
    Object.entries(multiValueHeaders).map(([name, values]) => [name, values.at(-1)]),
  );

  expect(headerOf({ headers, multiValueHeaders }, "if-match")).toBe(value);
});

test("reads a header of an event without lists, and none of an event without headers", () => {
  expect(headerOf({ headers: { "X-Api-Key": "rr" } }, "x-api-key")).toBe("rr");
  expect(headerOf({ headers: null, multiValueHeaders: null }, "x-api-key")).toBeUndefined();
});
