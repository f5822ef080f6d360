import * as z from "zod/mini";

/** A candidate's status in its lifecycle (contract, "States and transitions"). */
export const CandidateStatus = z.enum([
  "received",
  "validation_failed",
  "verified",
  "promoted",
  "consent_revoked",
]);
export type CandidateStatus = z.infer<typeof CandidateStatus>;

export const VerificationStatus = z.enum(["in_review", "verified"]);
export type VerificationStatus = z.infer<typeof VerificationStatus>;

export const AvailabilityStatus = z.enum(["pending", "available"]);
export type AvailabilityStatus = z.infer<typeof AvailabilityStatus>;
