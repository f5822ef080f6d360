import { describe, expect, test } from "vitest";
import { Reason, Reasons } from "#contract/reason";
import { judge } from "./judge.ts";

const reason = { code: "photo", message: "The photo is missing." };
const ofCode = "code: a code of 1 to 64 characters of a-z, 0-9 and _ is expected";
const ofMessage = "message: a string of 1 to 500 characters is expected";

describe("a reason of a failed validation", () => {
  test.each([{ code: "a" }, { code: "_0_z".repeat(16) }, { message: "x" }, { message: "x".repeat(500) }])(
    "is accepted (%#)",
    (members) => {
      expect(judge(Reason, { ...reason, ...members })).toEqual({ value: { ...reason, ...members } });
    },
  );

  test.each([
    [{ code: "" }, ofCode],
    [{ code: "x".repeat(65) }, ofCode],
    [{ code: "Photo" }, ofCode],
    [{ code: "photo-missing" }, ofCode],
    [{ code: "photo\n" }, ofCode],
    [{ message: "" }, ofMessage],
    [{ message: "x".repeat(501) }, ofMessage],
    [{ message: 7 }, ofMessage],
    [
      { message: "The photo \ud83d is missing." },
      "message: a string without unpaired surrogates is expected",
    ],
    [{ code: null }, ofCode],
    [{ code: undefined }, "code: a code of 1 to 64 characters of a-z, 0-9 and _ is required"],
    [{ person: "Ada" }, "person: no member of this name is expected"],
  ])("is refused with what is expected (%#)", (members, message) => {
    expect(judge(Reason, { ...reason, ...members })).toEqual({ message });
  });

  test.each(["a", null, 7, []])("is refused with what a reason is, if it is %j", (value) => {
    const { message } = judge(Reasons, [value]) as { message: string };

    expect(message).toBe(
      "[0]: an object with a code (1 to 64 characters of a-z, 0-9 and _) and a message (a string of 1 to 500 characters) is expected",
    );
  });

  test.each([[[]], [null], [Array(51).fill(reason)]])("is one of 1 to 50 (%#)", (value) => {
    expect(judge(Reasons, value)).toEqual({ message: "body: an array of 1 to 50 items is expected" });
  });
});
