import { candidateResponse } from "#candidates/candidate-response";
import { candidateReaderOf } from "#candidates/store/composition";
import * as operations from "#contract/operations";
import { documentClient, type WithTable } from "#runtime/dynamodb";
import { operation } from "#runtime/operation";
import { runtime } from "#runtime/runtime";

export const findCandidate = (dependencies: WithTable) => {
  const candidates = candidateReaderOf(dependencies);
  return operation(operations.findCandidate, async ({ organisation, query }) => {
    return candidateResponse(await candidates.findByExternalId(organisation, query.externalId));
  });
};

export const handler = findCandidate({ ...runtime, documentClient });
