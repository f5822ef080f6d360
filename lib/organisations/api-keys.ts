import type { WithTable } from "#aws/dynamodb";
import { EnvironmentName, readEnvironment, TableName } from "#aws/environment";
import { ApiKeyRepository } from "#organisations/api-key-repository";

/** The deployment's API keys. */
export function apiKeysOf({ documentClient, variables, now }: WithTable): ApiKeyRepository {
  const environment = readEnvironment({ TABLE_NAME: TableName, ENVIRONMENT: EnvironmentName }, variables);
  return new ApiKeyRepository(documentClient, environment.TABLE_NAME, environment.ENVIRONMENT, now);
}
