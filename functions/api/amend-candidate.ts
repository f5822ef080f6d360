import { candidateResponse } from "#candidates/candidate-response";
import { versionsOf } from "#candidates/entity-tag";
import { parseHandle, stagedIdOf } from "#candidates/handles";
import { candidatesOf } from "#candidates/store/composition";
import * as operations from "#contract/operations";
import { documentClient, type WithTable } from "#runtime/dynamodb";
import { logger } from "#runtime/logger";
import { operation } from "#runtime/operation";
import { runtime } from "#runtime/runtime";

export const amendCandidate = (dependencies: WithTable) => {
  const candidates = candidatesOf(dependencies);
  return operation(operations.amendCandidate, async ({ organisation: { orgId }, id, body, header }) => {
    const ifMatch = versionsOf(header("if-match"));
    const handle = parseHandle(id);
    logger.appendKeys({ stagedId: stagedIdOf(handle.digest) });
    return candidateResponse(await candidates.amend(orgId, handle, body, { ifMatch }));
  });
};

export const handler = amendCandidate({ ...runtime, documentClient });
