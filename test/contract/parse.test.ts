import { expect, test } from "vitest";
import { parse } from "#contract/parse";
import { Reason } from "#contract/reason";

test("what a caller sent is refused with its problems, and the name of what was sent", () => {
  expect(() => parse(Reason, { code: "Photo", message: "x" }, "reason")).toThrow(
    expect.objectContaining({
      code: "invalid_request",
      message: "code: a code of 1 to 64 characters of a-z, 0-9 and _ is expected",
    }),
  );
  expect(() => parse(Reason, 7, "reason")).toThrow(/^reason: an object with a code/);
});
