import { describe, expect, test } from "vitest";
import { Reason } from "#contract/reason";
import { judge } from "./judge.ts";

const reason = { code: "photo", message: "The photo is missing." };
const ofCode = "code: a code of 1 to 64 of a-z, 0-9 and _ is expected";
const ofMessage = "message: a message of 1 to 500 characters is expected";

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
    [{ person: "Ada" }, "person: no member of this name is expected"],
  ])("is refused with what is expected (%#)", (members, message) => {
    expect(judge(Reason, { ...reason, ...members })).toEqual({ message });
  });
});
