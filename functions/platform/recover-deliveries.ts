import { documentClient, type WithTable } from "#runtime/dynamodb";
import { privateFunction } from "#runtime/private-function";
import { runtime } from "#runtime/runtime";
import { sqsClient, type WithQueues } from "#runtime/sqs";
import { startRecoveryServiceOf } from "#webhooks/recoveries/composition";
import { RecoverDeliveries } from "#webhooks/recoveries/recovery-commands";
import { recoverMissed, startRecovery } from "#webhooks/recoveries/start-recovery";

export const recoverDeliveries = (dependencies: WithTable & WithQueues) => {
  const service = startRecoveryServiceOf(dependencies);
  return privateFunction({
    input: RecoverDeliveries,
    loggedInput: ["orgId", "endpointId"],
    run: async ({ orgId, endpointId, since, ...request }) =>
      since
        ? startRecovery(orgId, endpointId, { since, ...request }, service)
        : ((await recoverMissed(orgId, endpointId, request, service)) ?? null),
    loggedOutput: (recovery) => ({ recoveryId: recovery?.id }),
  });
};

export const handler = recoverDeliveries({ ...runtime, documentClient, sqsClient });
