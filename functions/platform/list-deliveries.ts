import { documentClient, type WithTable } from "#runtime/dynamodb";
import { privateFunction } from "#runtime/private-function";
import { runtime } from "#runtime/runtime";
import { ListDeliveries } from "#webhooks/delivery/delivery-commands";
import { deliveryLogOf } from "#webhooks/delivery/delivery-records";

export const listDeliveries = (surroundings: WithTable) => {
  const deliveryLog = deliveryLogOf(surroundings);
  return privateFunction({
    input: ListDeliveries,
    async run({ orgId, endpointId, limit, after }) {
      const records = await deliveryLog.list(endpointId, { limit, after });
      return { data: records.filter((record) => record.orgId === orgId) };
    },
  });
};

export const handler = listDeliveries({ ...runtime, documentClient });
