import { documentClient } from "#aws/dynamodb";
import { readEnvironment, TableName } from "#aws/environment";
import { WebhookEndpointRepository } from "#webhooks/webhook-endpoint-repository";

const environment = readEnvironment({ TABLE_NAME: TableName });

/** The deployment's webhook endpoints. */
export const webhookEndpoints = new WebhookEndpointRepository(documentClient, environment.TABLE_NAME);
