import type { WithTable } from "#aws/dynamodb";
import { readEnvironment, TableName } from "#aws/environment";
import { CandidateRepository } from "#candidates/candidate-repository";

/** The deployment's candidates, to be written. */
export function candidatesOf(surroundings: WithTable): CandidateRepository {
  const environment = readEnvironment({ TABLE_NAME: TableName }, surroundings.variables);
  return new CandidateRepository(surroundings.documentClient, environment.TABLE_NAME, surroundings);
}
