import { privateFunction } from "#aws/private-function";
import { ListDeliveries } from "#webhooks/delivery-commands";
import { deliveryLog } from "#webhooks/delivery-records";

export const handler = privateFunction({
  input: ListDeliveries,
  async run({ orgId, endpointId, limit = 50, after }) {
    const records = await deliveryLog.list(endpointId, { limit, after });
    return { data: records.filter((record) => record.orgId === orgId) };
  },
});
