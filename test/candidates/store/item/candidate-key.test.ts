import { expect, test } from "vitest";
import { candidateKey, parseCandidateKey } from "#candidates/store/item/candidate-key";
import { A_DIGEST } from "../../../builders/candidate.ts";

const { pk } = candidateKey("acme", A_DIGEST);

test("a candidate's partition key is parsed into organisation and digest", () => {
  expect(parseCandidateKey(pk)).toEqual({ orgId: "acme", digest: A_DIGEST });
});

test.each([
  undefined,
  "",
  "ENDPOINTS#acme",
  `CANDIDATE##${A_DIGEST}`,
  "CANDIDATE#acme#",
  `X${pk}`,
  `${pk}#`,
  `${pk}0`,
  pk.slice(0, -1),
  pk.toUpperCase(),
])("the partition key %j is not parsed as a candidate's", (key) => {
  expect(parseCandidateKey(key)).toBeUndefined();
});
