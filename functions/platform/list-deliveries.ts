import { documentClient, type WithTable } from "#aws/dynamodb";
import { privateFunction } from "#aws/private-function";
import { runtime } from "#aws/runtime";
import { ListDeliveries } from "#webhooks/delivery-commands";
import { deliveryLogOf } from "#webhooks/delivery-records";

export const listDeliveries = (surroundings: WithTable) => {
  const deliveryLog = deliveryLogOf(surroundings);
  return privateFunction({
    input: ListDeliveries,
    async run({ orgId, endpointId, limit = 50, after }) {
      const records = await deliveryLog.list(endpointId, { limit, after });
      return { data: records.filter((record) => record.orgId === orgId) };
    },
  });
};

export const handler = listDeliveries({ ...runtime, documentClient });
