import { CandidateReader } from "#candidates/store/candidate-reader";
import type { WithTable } from "#runtime/dynamodb";
import { readEnvironment, TableName } from "#runtime/environment";

/** The deployment's candidates, to be read. */
export function candidateReaderOf(surroundings: WithTable): CandidateReader {
  const environment = readEnvironment({ TABLE_NAME: TableName }, surroundings.variables);
  return new CandidateReader(surroundings.documentClient, environment.TABLE_NAME, surroundings);
}
