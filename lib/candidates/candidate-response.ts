import type { Candidate } from "#candidates/candidate";
import { entityTagOf } from "#candidates/entity-tag";
import { toCandidateRecord } from "#candidates/projection";
import type { CandidateRecord } from "#contract/candidate-record";
import { WithHeaders } from "#contract/with-headers";

/** A candidate's safe projection with its entity tag: the only form in which a candidate leaves the service. */
export function candidateResponse(candidate: Candidate): WithHeaders<CandidateRecord> {
  return new WithHeaders(toCandidateRecord(candidate), { ETag: entityTagOf(candidate) });
}
