import { documentClient, type WithTable } from "#runtime/dynamodb";
import { privateFunction } from "#runtime/private-function";
import { runtime } from "#runtime/runtime";
import { deliveryLogOf } from "#webhooks/delivery/composition";
import { InspectDeliveries } from "#webhooks/delivery/delivery-commands";

export const inspectDeliveries = (dependencies: WithTable) => {
  const deliveryLog = deliveryLogOf(dependencies);
  return privateFunction({
    input: InspectDeliveries,
    loggedInput: ["orgId", "endpointId"],
    async run({ orgId, endpointId, limit, after }) {
      const records = await deliveryLog.list(endpointId, { limit, after });
      return { data: records.filter((record) => record.orgId === orgId) };
    },
    loggedOutput: ({ data }) => ({ listed: data.length }),
  });
};

export const handler = inspectDeliveries({ ...runtime, documentClient });
