import { documentClient } from "#aws/dynamodb";
import { readEnvironment, TableName } from "#aws/environment";
import { OrganisationRepository } from "#organisations/organisation-repository";

const environment = readEnvironment({ TABLE_NAME: TableName });

/** The deployment's organisations. */
export const organisations = new OrganisationRepository(documentClient, environment.TABLE_NAME);
