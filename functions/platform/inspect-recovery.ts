import { documentClient, type WithTable } from "#runtime/dynamodb";
import { privateFunction } from "#runtime/private-function";
import { runtime } from "#runtime/runtime";
import { getRecoveryServiceOf } from "#webhooks/recoveries/composition";
import { getRecovery } from "#webhooks/recoveries/get-recovery";
import { InspectRecovery } from "#webhooks/recoveries/recovery-commands";

export const inspectRecovery = (dependencies: WithTable) => {
  const service = getRecoveryServiceOf(dependencies);
  return privateFunction({
    input: InspectRecovery,
    loggedInput: ["orgId", "endpointId", "recoveryId"],
    run: ({ orgId, endpointId, recoveryId }) => getRecovery(orgId, endpointId, recoveryId, service),
  });
};

export const handler = inspectRecovery({ ...runtime, documentClient });
