import type { WithTable } from "#aws/dynamodb";
import { readEnvironment, TableName } from "#aws/environment";
import { CandidateLives } from "#candidates/candidate-lives";

/** The lives of the deployment's candidates. */
export function candidateLivesOf({ documentClient, variables }: WithTable): CandidateLives {
  const environment = readEnvironment({ TABLE_NAME: TableName }, variables);
  return new CandidateLives(documentClient, environment.TABLE_NAME);
}
