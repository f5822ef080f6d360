import { CandidateReader } from "#candidates/store/candidate-reader";
import { CandidateRepository } from "#candidates/store/candidate-repository";
import { PartSweep } from "#candidates/store/large/part-sweep";
import type { WithTable } from "#runtime/dynamodb";
import { tableNameOf } from "#runtime/environment";

/** The deployment's candidates, for writing. */
export function candidatesOf(dependencies: WithTable): CandidateRepository {
  return new CandidateRepository(dependencies.documentClient, tableNameOf(dependencies), dependencies);
}

/** The deployment's candidates, for reading. */
export function candidateReaderOf(dependencies: WithTable): CandidateReader {
  return new CandidateReader(dependencies.documentClient, tableNameOf(dependencies), dependencies);
}

/** Removes parts that none of the deployment's candidates references. */
export function partSweepOf(dependencies: WithTable): PartSweep {
  return new PartSweep(dependencies.documentClient, tableNameOf(dependencies));
}
