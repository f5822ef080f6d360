import { candidatesOf } from "#candidates/store/composition";
import * as operations from "#contract/operations";
import { WithHeaders } from "#contract/with-headers";
import { documentClient, type WithTable } from "#runtime/dynamodb";
import { logger } from "#runtime/logger";
import { operation } from "#runtime/operation";
import { runtime } from "#runtime/runtime";

export const createCandidate = (dependencies: WithTable) => {
  const candidates = candidatesOf(dependencies);
  return operation(operations.createCandidate, async ({ organisation, body }) => {
    const { kind, response } = await candidates.receive(organisation, body);
    logger.appendKeys({ stagedId: response.stagedId });
    return new WithHeaders(response, kind === "replayed" ? { "Idempotent-Replayed": "true" } : {});
  });
};

export const handler = createCandidate({ ...runtime, documentClient });
