import { ApiKeyRepository } from "#api-keys/api-key-repository";
import { OrganisationRepository } from "#api-keys/organisation-repository";
import type { WithTable } from "#runtime/dynamodb";
import { EnvironmentName, readEnvironment, tableNameOf } from "#runtime/environment";

/** The deployment's API keys. */
export function apiKeysOf(dependencies: WithTable): ApiKeyRepository {
  const { ENVIRONMENT } = readEnvironment({ ENVIRONMENT: EnvironmentName }, dependencies.variables);
  return new ApiKeyRepository(
    dependencies.documentClient,
    tableNameOf(dependencies),
    ENVIRONMENT,
    dependencies.now,
  );
}

/** The deployment's organisations. */
export function organisationsOf(dependencies: WithTable): OrganisationRepository {
  return new OrganisationRepository(dependencies.documentClient, tableNameOf(dependencies), dependencies.now);
}
