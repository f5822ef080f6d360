import { documentClient, type WithTable } from "#aws/dynamodb";
import { logger } from "#aws/logger";
import { runtime } from "#aws/runtime";
import { candidatesOf } from "#candidates/candidates";
import { CandidateSubmission } from "#contract/candidate-submission";
import { created } from "#http/answers";
import { operation } from "#http/operation";

export const createCandidate = (surroundings: WithTable) => {
  const candidates = candidatesOf(surroundings);
  return operation({
    operationId: "createCandidate",
    body: CandidateSubmission,
    async run({ organisation, body }) {
      const { response, replayed } = await candidates.receive(organisation, body);
      logger.appendKeys({ stagedId: response.stagedId });
      return created(response, replayed ? { "Idempotent-Replayed": "true" } : {});
    },
  });
};

export const handler = createCandidate({ ...runtime, documentClient });
