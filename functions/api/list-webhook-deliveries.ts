import * as operations from "#contract/operations";
import { documentClient, type WithTable } from "#runtime/dynamodb";
import { operation } from "#runtime/operation";
import { runtime } from "#runtime/runtime";
import { listDeliveriesServiceOf } from "#webhooks/delivery/composition";
import { listDeliveries } from "#webhooks/delivery/list-deliveries";

export const listWebhookDeliveries = (dependencies: WithTable) => {
  const service = listDeliveriesServiceOf(dependencies);
  return operation(operations.listWebhookDeliveries, ({ organisation: { orgId }, id, query }) =>
    listDeliveries(orgId, id, query, service),
  );
};

export const handler = listWebhookDeliveries({ ...runtime, documentClient });
