import { documentClient, type WithTable } from "#aws/dynamodb";
import { ErasureRequests, readEnvironment } from "#aws/environment";
import { logger } from "#aws/logger";
import { runtime } from "#aws/runtime";
import { candidatesOf } from "#candidates/candidates";
import { erasureRequest } from "#candidates/change";
import { parseHandle, stagedIdOf } from "#candidates/handles";
import { ErasureRequest } from "#contract/candidate-submission";
import { InvalidRequest } from "#contract/errors";
import { accepted } from "#http/answers";
import { operation } from "#http/operation";

export const requestErasure = (surroundings: WithTable) => {
  const environment = readEnvironment({ ERASURE_REQUESTS: ErasureRequests }, surroundings.variables);
  const candidates = candidatesOf(surroundings);
  return operation({
    operationId: "requestErasure",
    body: ErasureRequest,
    async run({ organisation: { orgId }, id, body: { externalId } }) {
      if (environment.ERASURE_REQUESTS === "refused") {
        throw new InvalidRequest(
          "This environment accepts no erasure requests. Ask the platform team to erase the candidate.",
        );
      }
      const handle = parseHandle(id);
      logger.appendKeys({ stagedId: stagedIdOf(handle.digest), transition: "erase" });
      const { changed } = await candidates.change(orgId, handle, erasureRequest(externalId));
      logger.appendKeys({ changed });
      return accepted();
    },
  });
};

export const handler = requestErasure({ ...runtime, documentClient });
