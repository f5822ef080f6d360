import { ApiKeyRepository } from "#api-keys/api-key-repository";
import type { WithTable } from "#runtime/dynamodb";
import { EnvironmentName, readEnvironment, TableName } from "#runtime/environment";

/** The deployment's API keys. */
export function apiKeysOf({ documentClient, variables, now }: WithTable): ApiKeyRepository {
  const environment = readEnvironment({ TABLE_NAME: TableName, ENVIRONMENT: EnvironmentName }, variables);
  return new ApiKeyRepository(documentClient, environment.TABLE_NAME, environment.ENVIRONMENT, now);
}
