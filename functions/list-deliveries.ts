import { documentClient } from "#aws/dynamodb";
import { readEnvironment, TableName } from "#aws/environment";
import { privateFunction } from "#aws/private-function";
import { ListDeliveries } from "#webhooks/delivery-commands";
import { DeliveryLog } from "#webhooks/delivery-log";

const environment = readEnvironment({ TABLE_NAME: TableName });
const log = new DeliveryLog(documentClient, environment.TABLE_NAME);

export const handler = privateFunction({
  input: ListDeliveries,
  async run({ orgId, endpointId, limit = 50, after }) {
    const records = await log.list(endpointId, { limit, after });
    return { data: records.filter((record) => record.orgId === orgId) };
  },
});
