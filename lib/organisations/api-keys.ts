import { documentClient } from "#aws/dynamodb";
import { EnvironmentName, readEnvironment, TableName } from "#aws/environment";
import { ApiKeyRepository } from "#organisations/api-key-repository";

const environment = readEnvironment({ TABLE_NAME: TableName, ENVIRONMENT: EnvironmentName });

/** The deployment's API keys. */
export const apiKeys = new ApiKeyRepository(documentClient, environment.TABLE_NAME, environment.ENVIRONMENT);
