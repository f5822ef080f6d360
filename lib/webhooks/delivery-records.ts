import type { WithTable } from "#aws/dynamodb";
import { readEnvironment, TableName } from "#aws/environment";
import { DeliveryLog } from "#webhooks/delivery-log";

/** The deployment's log of deliveries. */
export function deliveryLogOf({ documentClient, variables, now }: WithTable): DeliveryLog {
  const environment = readEnvironment({ TABLE_NAME: TableName }, variables);
  return new DeliveryLog(documentClient, environment.TABLE_NAME, now);
}
