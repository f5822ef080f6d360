import type { Candidate } from "#candidates/candidate";
import { entityTagOf } from "#candidates/entity-tag";
import { toCandidateRecord } from "#candidates/projection";
import type { CandidateRecord } from "#contract/candidate-record";
import { WithHeaders } from "#contract/with-headers";

/** A candidate's safe projection with its entity tag. The public API returns candidates in no other form. */
export function candidateResponse(candidate: Candidate): WithHeaders<CandidateRecord> {
  return new WithHeaders(toCandidateRecord(candidate), { ETag: entityTagOf(candidate) });
}
