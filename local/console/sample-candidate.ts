import { randomBytes } from "node:crypto";

/** The smallest candidate that the contract accepts, in words that a shell needs no escapes for. */
export const SAMPLE_CANDIDATE = {
  externalId: "candidate-1",
  firstName: "Ada",
  lastName: "Lovelace",
  email: "ada@example.com",
  countryOfResidence: "GB",
  consentGiven: true,
} as const;

/** One that is not there yet. */
export function aSampleCandidate() {
  return { ...SAMPLE_CANDIDATE, externalId: `sample-${randomBytes(4).toString("hex")}` };
}
