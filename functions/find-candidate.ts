import { candidates } from "#candidates/reader";
import { FindCandidateQuery } from "#contract/parameters";
import { candidateRecord } from "#http/answers";
import { operation } from "#http/operation";

export const handler = operation({
  operationId: "findCandidate",
  query: FindCandidateQuery,
  async run({ organisation, query }) {
    return candidateRecord(await candidates.findByExternalId(organisation, query.externalId));
  },
});
