import { documentClient, type WithTable } from "#aws/dynamodb";
import { logger } from "#aws/logger";
import { runtime } from "#aws/runtime";
import { candidatesOf } from "#candidates/candidates";
import { parseHandle, stagedIdOf } from "#candidates/handles";
import * as operations from "#contract/operations";
import { candidateRecord } from "#http/answers";
import { versionsOf } from "#http/entity-tag";
import { operation } from "#http/operation";

export const amendCandidate = (surroundings: WithTable) => {
  const candidates = candidatesOf(surroundings);
  return operation(operations.amendCandidate, async ({ organisation: { orgId }, id, body, header }) => {
    const ifMatch = versionsOf(header("if-match"));
    const handle = parseHandle(id);
    logger.appendKeys({ stagedId: stagedIdOf(handle.digest) });
    return candidateRecord(await candidates.amend(orgId, handle, body, { ifMatch }));
  });
};

export const handler = amendCandidate({ ...runtime, documentClient });
