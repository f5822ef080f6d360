import { erasureRequest } from "#candidates/change";
import { parseHandle, stagedIdOf } from "#candidates/handles";
import { candidatesOf } from "#candidates/store/composition";
import { InvalidRequest } from "#contract/errors";
import * as operations from "#contract/operations";
import { documentClient, type WithTable } from "#runtime/dynamodb";
import { ErasureRequests, readEnvironment } from "#runtime/environment";
import { logger } from "#runtime/logger";
import { operation } from "#runtime/operation";
import { runtime } from "#runtime/runtime";

export const requestErasure = (dependencies: WithTable) => {
  const environment = readEnvironment({ ERASURE_REQUESTS: ErasureRequests }, dependencies.variables);
  const candidates = candidatesOf(dependencies);
  return operation(operations.requestErasure, async ({ organisation: { orgId }, id, body }) => {
    if (environment.ERASURE_REQUESTS === "refused") {
      throw new InvalidRequest(
        "This environment accepts no erasure requests. Ask the platform team to erase the candidate.",
      );
    }
    const handle = parseHandle(id);
    logger.appendKeys({ stagedId: stagedIdOf(handle.digest), transition: "erase" });
    const { kind } = await candidates.change(orgId, handle, erasureRequest(body.externalId));
    logger.appendKeys({ changed: kind === "changed" });
  });
};

export const handler = requestErasure({ ...runtime, documentClient });
