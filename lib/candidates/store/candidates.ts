import { CandidateReader } from "#candidates/store/candidate-reader";
import { CandidateRepository } from "#candidates/store/candidate-repository";
import { PartSweep } from "#candidates/store/large/part-sweep";
import type { WithTable } from "#runtime/dynamodb";
import { readEnvironment, TableName } from "#runtime/environment";

/** The deployment's candidates, for writing. */
export function candidatesOf(surroundings: WithTable): CandidateRepository {
  return new CandidateRepository(surroundings.documentClient, tableNameOf(surroundings), surroundings);
}

/** The deployment's candidates, for reading. */
export function candidateReaderOf(surroundings: WithTable): CandidateReader {
  return new CandidateReader(surroundings.documentClient, tableNameOf(surroundings), surroundings);
}

/** Removes parts that none of the deployment's candidates references. */
export function partSweepOf(surroundings: WithTable): PartSweep {
  return new PartSweep(surroundings.documentClient, tableNameOf(surroundings));
}

function tableNameOf({ variables }: WithTable): string {
  return readEnvironment({ TABLE_NAME: TableName }, variables).TABLE_NAME;
}
