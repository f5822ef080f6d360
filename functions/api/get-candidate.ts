import { documentClient, type WithTable } from "#aws/dynamodb";
import { runtime } from "#aws/runtime";
import { parseHandle } from "#candidates/handles";
import { candidateReaderOf } from "#candidates/reader";
import * as operations from "#contract/operations";
import { candidateRecord } from "#http/answers";
import { operation } from "#http/operation";

export const getCandidate = (surroundings: WithTable) => {
  const candidates = candidateReaderOf(surroundings);
  return operation(operations.getCandidate, async ({ organisation: { orgId }, id }) => {
    return candidateRecord(await candidates.find(orgId, parseHandle(id)));
  });
};

export const handler = getCandidate({ ...runtime, documentClient });
