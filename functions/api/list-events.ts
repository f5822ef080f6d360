import * as operations from "#contract/operations";
import { documentClient, type WithTable } from "#runtime/dynamodb";
import { operation } from "#runtime/operation";
import { runtime } from "#runtime/runtime";
import { listEventsServiceOf } from "#webhooks/feed/composition";
import { listEvents as listPage } from "#webhooks/feed/list-events";

export const listEvents = (dependencies: WithTable) => {
  const service = listEventsServiceOf(dependencies);
  return operation(operations.listEvents, ({ organisation: { orgId }, query }) =>
    listPage(orgId, query, service),
  );
};

export const handler = listEvents({ ...runtime, documentClient });
