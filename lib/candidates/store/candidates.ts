import { CandidateRepository } from "#candidates/store/candidate-repository";
import type { WithTable } from "#runtime/dynamodb";
import { readEnvironment, TableName } from "#runtime/environment";

/** The deployment's candidates, to be written. */
export function candidatesOf(surroundings: WithTable): CandidateRepository {
  const environment = readEnvironment({ TABLE_NAME: TableName }, surroundings.variables);
  return new CandidateRepository(surroundings.documentClient, environment.TABLE_NAME, surroundings);
}
