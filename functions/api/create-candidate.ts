import { documentClient, type WithTable } from "#aws/dynamodb";
import { logger } from "#aws/logger";
import { runtime } from "#aws/runtime";
import { candidatesOf } from "#candidates/candidates";
import * as operations from "#contract/operations";
import { WithHeaders } from "#http/answers";
import { operation } from "#http/operation";

export const createCandidate = (surroundings: WithTable) => {
  const candidates = candidatesOf(surroundings);
  return operation(operations.createCandidate, async ({ organisation, body }) => {
    const { response, replayed } = await candidates.receive(organisation, body);
    logger.appendKeys({ stagedId: response.stagedId });
    return new WithHeaders(response, replayed ? { "Idempotent-Replayed": "true" } : {});
  });
};

export const handler = createCandidate({ ...runtime, documentClient });
