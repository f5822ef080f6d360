import { OrganisationRepository } from "#api-keys/organisation-repository";
import type { WithTable } from "#runtime/dynamodb";
import { readEnvironment, TableName } from "#runtime/environment";

/** The deployment's organisations. */
export function organisationsOf({ documentClient, variables, now }: WithTable): OrganisationRepository {
  const environment = readEnvironment({ TABLE_NAME: TableName }, variables);
  return new OrganisationRepository(documentClient, environment.TABLE_NAME, now);
}
