import type { WithTable } from "#runtime/dynamodb";
import { readEnvironment, TableName } from "#runtime/environment";
import { DeliveryLog } from "#webhooks/delivery/delivery-log";

/** The deployment's log of deliveries. */
export function deliveryLogOf({ documentClient, variables, now }: WithTable): DeliveryLog {
  const environment = readEnvironment({ TABLE_NAME: TableName }, variables);
  return new DeliveryLog(documentClient, environment.TABLE_NAME, now);
}
