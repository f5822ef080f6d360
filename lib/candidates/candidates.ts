import { documentClient } from "#aws/dynamodb";
import { readEnvironment, TableName } from "#aws/environment";
import { CandidateRepository } from "#candidates/candidate-repository";

const environment = readEnvironment({ TABLE_NAME: TableName });

/** The deployment's candidates, to be written. */
export const candidates = new CandidateRepository(documentClient, environment.TABLE_NAME);
