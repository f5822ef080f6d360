import type { WithTable } from "#runtime/dynamodb";
import { readEnvironment, TableName } from "#runtime/environment";
import { WebhookEndpointRepository } from "#webhooks/endpoints/webhook-endpoint-repository";

/** The deployment's webhook endpoints. */
export function webhookEndpointsOf({ documentClient, variables, now }: WithTable): WebhookEndpointRepository {
  const environment = readEnvironment({ TABLE_NAME: TableName }, variables);
  return new WebhookEndpointRepository(documentClient, environment.TABLE_NAME, now);
}
