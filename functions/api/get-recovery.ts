import * as operations from "#contract/operations";
import { documentClient, type WithTable } from "#runtime/dynamodb";
import { operation } from "#runtime/operation";
import { runtime } from "#runtime/runtime";
import { getRecoveryServiceOf } from "#webhooks/recoveries/composition";
import { getRecovery as get } from "#webhooks/recoveries/get-recovery";

export const getRecovery = (dependencies: WithTable) => {
  const service = getRecoveryServiceOf(dependencies);
  return operation(operations.getRecovery, ({ organisation: { orgId }, id, recoveryId }) =>
    get(orgId, id, recoveryId, service),
  );
};

export const handler = getRecovery({ ...runtime, documentClient });
