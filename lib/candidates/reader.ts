import { documentClient } from "#aws/dynamodb";
import { readEnvironment, TableName } from "#aws/environment";
import { CandidateReader } from "#candidates/candidate-reader";

const environment = readEnvironment({ TABLE_NAME: TableName });

/** The deployment's candidates, to be read. */
export const candidates = new CandidateReader(documentClient, environment.TABLE_NAME);
