import { documentClient, type WithTable } from "#runtime/dynamodb";
import { privateFunction } from "#runtime/private-function";
import { runtime } from "#runtime/runtime";
import { getRecoveryOf } from "#webhooks/recoveries/composition";
import { InspectRecovery } from "#webhooks/recoveries/recovery-commands";

export const inspectRecovery = (dependencies: WithTable) => {
  const get = getRecoveryOf(dependencies);
  return privateFunction({
    input: InspectRecovery,
    run: ({ orgId, endpointId, recoveryId }) => get(orgId, endpointId, recoveryId),
  });
};

export const handler = inspectRecovery({ ...runtime, documentClient });
