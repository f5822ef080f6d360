import { randomBytes } from "node:crypto";

/** The smallest candidate that the contract accepts, with values that need no escaping in a shell. */
export const SAMPLE_CANDIDATE = {
  externalId: "candidate-1",
  firstName: "Ada",
  lastName: "Lovelace",
  email: "ada@example.com",
  countryOfResidence: "GB",
  consentGiven: true,
} as const;

/** A sample candidate with a new `externalId`. */
export function aSampleCandidate() {
  return { ...SAMPLE_CANDIDATE, externalId: `sample-${randomBytes(4).toString("hex")}` };
}
