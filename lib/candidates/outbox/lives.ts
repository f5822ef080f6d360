import { CandidateLives } from "#candidates/outbox/candidate-lives";
import type { WithTable } from "#runtime/dynamodb";
import { readEnvironment, TableName } from "#runtime/environment";

/** The lives of the deployment's candidates. */
export function candidateLivesOf({ documentClient, variables }: WithTable): CandidateLives {
  const environment = readEnvironment({ TABLE_NAME: TableName }, variables);
  return new CandidateLives(documentClient, environment.TABLE_NAME);
}
