import * as z from "zod/mini";
import { text } from "#contract/values";

/** The query of `GET /v1/candidates` (contract, "Candidates"): `externalId` once; other parameters are ignored. */
export const FindCandidateQuery = z.object({
  externalId: text(1, 128),
});
