import { expect, test } from "vitest";
import { transition } from "#candidates/change";
import { aCandidate } from "../builders/candidate.ts";

test.each([
  ["fail-validation", "promoted", ". Use a candidate that is not promoted."],
  ["promote", "consent_revoked", ". Amend the candidate with consentGiven true first."],
  ["verify", "erased", ". Create the candidate again first."],
] as const)("a refused %s from %s says what to do", (name, status, remedy) => {
  const candidate = aCandidate({}, { status });

  expect(() => transition(name).decide(candidate)).toThrow(
    expect.objectContaining({
      code: "invalid_request",
      message: `transition: ${name} is not allowed from the status ${status}${remedy}`,
    }),
  );
});
