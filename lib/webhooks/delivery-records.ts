import { documentClient } from "#aws/dynamodb";
import { readEnvironment, TableName } from "#aws/environment";
import { DeliveryLog } from "#webhooks/delivery-log";

const environment = readEnvironment({ TABLE_NAME: TableName });

/** The deployment's log of deliveries. */
export const deliveryLog = new DeliveryLog(documentClient, environment.TABLE_NAME);
