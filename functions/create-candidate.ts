import { logger } from "#aws/logger";
import { candidates } from "#candidates/candidates";
import { CandidateSubmission } from "#contract/candidate-submission";
import { created } from "#http/answers";
import { operation } from "#http/operation";

export const handler = operation({
  operationId: "createCandidate",
  body: CandidateSubmission,
  async run({ organisation, body }) {
    const { response, replayed } = await candidates.receive(organisation, body);
    logger.appendKeys({ stagedId: response.stagedId });
    return created(response, replayed ? { "Idempotent-Replayed": "true" } : {});
  },
});
