import { expect, test } from "vitest";
import { parseCandidateItem } from "#candidates/store/item/parse-item";

test("what has no status is not taken for a candidate's item", () => {
  expect(() => parseCandidateItem({ externalId: "1" })).toThrow("The item of a candidate has no status.");
  expect(parseCandidateItem({ status: "erased" })).toEqual({ status: "erased" });
});
