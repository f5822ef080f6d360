import { candidatesOf } from "#candidates/store/composition";
import { receiveBatch } from "#candidates/store/receive-batch";
import * as operations from "#contract/operations";
import { documentClient, type WithTable } from "#runtime/dynamodb";
import { logger } from "#runtime/logger";
import { operation } from "#runtime/operation";
import { runtime } from "#runtime/runtime";

export const createCandidateBatch = (dependencies: WithTable) => {
  const candidates = candidatesOf(dependencies);
  return operation(operations.createCandidateBatch, async ({ organisation, body, remainingMs }) => {
    const results = await receiveBatch(candidates, { organisation, rows: body.candidates, remainingMs });
    const stagedIds = results.flatMap((result) => ("stagedId" in result ? result.stagedId : []));
    logger.appendKeys({ rows: results.length, stagedIds });
    return { results };
  });
};

export const handler = createCandidateBatch({ ...runtime, documentClient });
