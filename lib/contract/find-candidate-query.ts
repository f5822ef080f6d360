import * as z from "zod/mini";
import { ExternalId } from "#contract/candidate-submission";

/** The query of `GET /v1/candidates` (contract, "Candidates"): one `externalId`. Other parameters are ignored. */
export const FindCandidateQuery = z.object({ externalId: ExternalId });
