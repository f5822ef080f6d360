import { documentClient } from "#aws/dynamodb";
import { readEnvironment, TableName } from "#aws/environment";
import { CandidateLives } from "#candidates/candidate-lives";

const environment = readEnvironment({ TABLE_NAME: TableName });

/** The lives of the deployment's candidates. */
export const candidateLives = new CandidateLives(documentClient, environment.TABLE_NAME);
