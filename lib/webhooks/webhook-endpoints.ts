import type { WithTable } from "#aws/dynamodb";
import { readEnvironment, TableName } from "#aws/environment";
import { WebhookEndpointRepository } from "#webhooks/webhook-endpoint-repository";

/** The deployment's webhook endpoints. */
export function webhookEndpointsOf({ documentClient, variables, now }: WithTable): WebhookEndpointRepository {
  const environment = readEnvironment({ TABLE_NAME: TableName }, variables);
  return new WebhookEndpointRepository(documentClient, environment.TABLE_NAME, now);
}
