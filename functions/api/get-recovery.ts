import * as operations from "#contract/operations";
import { documentClient, type WithTable } from "#runtime/dynamodb";
import { operation } from "#runtime/operation";
import { runtime } from "#runtime/runtime";
import { getRecoveryOf } from "#webhooks/recoveries/composition";

export const getRecovery = (dependencies: WithTable) => {
  const get = getRecoveryOf(dependencies);
  return operation(operations.getRecovery, ({ organisation: { orgId }, id, recoveryId }) =>
    get(orgId, id, recoveryId),
  );
};

export const handler = getRecovery({ ...runtime, documentClient });
