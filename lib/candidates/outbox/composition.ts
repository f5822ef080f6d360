import { CandidateLives } from "#candidates/outbox/candidate-lives";
import type { WithTable } from "#runtime/dynamodb";
import { tableNameOf } from "#runtime/environment";

/** The lives of the deployment's candidates. */
export function candidateLivesOf(dependencies: WithTable): CandidateLives {
  return new CandidateLives(dependencies.documentClient, tableNameOf(dependencies), dependencies);
}
