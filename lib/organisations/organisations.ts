import type { WithTable } from "#aws/dynamodb";
import { readEnvironment, TableName } from "#aws/environment";
import { OrganisationRepository } from "#organisations/organisation-repository";

/** The deployment's organisations. */
export function organisationsOf({ documentClient, variables, now }: WithTable): OrganisationRepository {
  const environment = readEnvironment({ TABLE_NAME: TableName }, variables);
  return new OrganisationRepository(documentClient, environment.TABLE_NAME, now);
}
