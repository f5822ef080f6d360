import { describe, expect, test } from "vitest";
import { EncodedHandleKey, generateHandleKey, OrgId } from "#contract/organisation";
import { judge } from "./judge.ts";

describe("an organisation's id", () => {
  test.each(["a", "0", "acme-talent", "acme_talent-2", "a".repeat(64)])("may be %s", (orgId) => {
    expect(judge(OrgId, orgId)).toEqual({ value: orgId });
  });

  test.each([
    "",
    "a".repeat(65),
    "-acme",
    "_acme",
    "Acme",
    "acme#1",
    "acme talent",
    " acme",
    "acme\n",
    1,
    null,
  ])("may not be %j", (orgId) => {
    expect(judge(OrgId, orgId)).toEqual({
      message: "body: an organisation id of 1 to 64 lower-case letters, digits, - and _ is expected",
    });
  });
});

describe("an encoded handle key", () => {
  test("is what is generated", () => {
    expect(EncodedHandleKey.safeParse(generateHandleKey()).success).toBe(true);
  });

  test.each([
    ["42 characters", "a".repeat(42)],
    ["44 characters", "a".repeat(44)],
    ["padding", `${"a".repeat(43)}=`],
    ["a character of plain base64", `${"a".repeat(42)}+`],
    ["something before it", ` ${"a".repeat(43)}`],
  ])("is refused with %s", (_what, encoded) => {
    expect(EncodedHandleKey.safeParse(encoded).success).toBe(false);
  });
});
