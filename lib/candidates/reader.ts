import type { WithTable } from "#aws/dynamodb";
import { readEnvironment, TableName } from "#aws/environment";
import { CandidateReader } from "#candidates/candidate-reader";

/** The deployment's candidates, to be read. */
export function candidateReaderOf(surroundings: WithTable): CandidateReader {
  const environment = readEnvironment({ TABLE_NAME: TableName }, surroundings.variables);
  return new CandidateReader(surroundings.documentClient, environment.TABLE_NAME, surroundings);
}
