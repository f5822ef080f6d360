import { documentClient, type WithTable } from "#aws/dynamodb";
import { runtime } from "#aws/runtime";
import { candidateReaderOf } from "#candidates/reader";
import * as operations from "#contract/operations";
import { candidateRecord } from "#http/answers";
import { operation } from "#http/operation";

export const findCandidate = (surroundings: WithTable) => {
  const candidates = candidateReaderOf(surroundings);
  return operation(operations.findCandidate, async ({ organisation, query }) => {
    return candidateRecord(await candidates.findByExternalId(organisation, query.externalId));
  });
};

export const handler = findCandidate({ ...runtime, documentClient });
