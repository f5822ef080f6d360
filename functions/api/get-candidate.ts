import { candidateResponse } from "#candidates/candidate-response";
import { parseHandle } from "#candidates/handles";
import { candidateReaderOf } from "#candidates/store/composition";
import * as operations from "#contract/operations";
import { documentClient, type WithTable } from "#runtime/dynamodb";
import { operation } from "#runtime/operation";
import { runtime } from "#runtime/runtime";

export const getCandidate = (dependencies: WithTable) => {
  const candidates = candidateReaderOf(dependencies);
  return operation(operations.getCandidate, async ({ organisation: { orgId }, id }) => {
    return candidateResponse(await candidates.find(orgId, parseHandle(id)));
  });
};

export const handler = getCandidate({ ...runtime, documentClient });
