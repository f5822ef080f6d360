import { describe, expect, test } from "vitest";
import { InvalidRequest, NotFound } from "#contract/errors";
import { PLATFORM_TRANSITIONS, parseTransition, reasonsOf } from "#contract/platform-transition";

const reasons = [{ code: "photo", message: "The photo is missing." }];
const others = PLATFORM_TRANSITIONS.filter((transition) => transition !== "fail-validation");

describe("the transition that a path names", () => {
  test.each(PLATFORM_TRANSITIONS)("may be %s", (transition) => {
    expect(parseTransition(transition)).toBe(transition);
  });

  test.each(["score", "VERIFY", "", "__proto__"])(
    "is not %j, and the error names those there are",
    (name) => {
      expect(() => parseTransition(name)).toThrow(
        new NotFound(
          "There is no such transition. The transitions are verify, promote, fail-validation, revoke-consent, erase.",
        ),
      );
    },
  );
});

describe("the reasons of a sandbox transition", () => {
  test("are those in the body of fail-validation", () => {
    expect(reasonsOf("fail-validation", { reasons })).toEqual(reasons);
  });

  test("are required by fail-validation", () => {
    expect(() => reasonsOf("fail-validation", {})).toThrow(
      new InvalidRequest("reasons: an array of 1 to 50 items is required"),
    );
  });

  test.each(others)("are absent from %s", (transition) => {
    expect(reasonsOf(transition, {})).toBeUndefined();
  });

  test.each(others)("are refused for %s", (transition) => {
    expect(() => reasonsOf(transition, { reasons })).toThrow(
      new InvalidRequest("reasons: only fail-validation has reasons; send no body"),
    );
  });
});
