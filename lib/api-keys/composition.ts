import { ApiKeyRepository } from "#api-keys/api-key-repository";
import { OrganisationRepository } from "#api-keys/organisation-repository";
import type { WithTable } from "#runtime/dynamodb";
import { EnvironmentName, readEnvironment, TableName } from "#runtime/environment";

/** The deployment's API keys. */
export function apiKeysOf({ documentClient, variables, now }: WithTable): ApiKeyRepository {
  const environment = readEnvironment({ TABLE_NAME: TableName, ENVIRONMENT: EnvironmentName }, variables);
  return new ApiKeyRepository(documentClient, environment.TABLE_NAME, environment.ENVIRONMENT, now);
}

/** The deployment's organisations. */
export function organisationsOf({ documentClient, variables, now }: WithTable): OrganisationRepository {
  const environment = readEnvironment({ TABLE_NAME: TableName }, variables);
  return new OrganisationRepository(documentClient, environment.TABLE_NAME, now);
}
