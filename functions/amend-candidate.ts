import { candidates } from "#candidates/candidates";
import { parseHandle } from "#candidates/handles";
import { CandidateAmendment } from "#contract/candidate-submission";
import { candidateRecord } from "#http/answers";
import { versionsOf } from "#http/entity-tag";
import { operation } from "#http/operation";

export const handler = operation({
  operationId: "amendCandidate",
  body: CandidateAmendment,
  async run({ orgId, id, body, header }) {
    const ifMatch = versionsOf(header("if-match"));
    return candidateRecord(await candidates.amend(orgId, parseHandle(id), body, { ifMatch }));
  },
});
