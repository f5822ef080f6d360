import { documentClient, type WithTable } from "#runtime/dynamodb";
import { privateFunction } from "#runtime/private-function";
import { runtime } from "#runtime/runtime";
import { sqsClient, type WithQueues } from "#runtime/sqs";
import { recoverMissedOf, startRecoveryOf } from "#webhooks/recoveries/composition";
import { RecoverDeliveries } from "#webhooks/recoveries/recovery-commands";

export const recoverDeliveries = (surroundings: WithTable & WithQueues) => {
  const start = startRecoveryOf(surroundings);
  const startMissed = recoverMissedOf(surroundings);
  return privateFunction({
    input: RecoverDeliveries,
    run: async ({ orgId, endpointId, since, ...request }) =>
      since
        ? start(orgId, endpointId, { since, ...request })
        : ((await startMissed(orgId, endpointId, request)) ?? null),
  });
};

export const handler = recoverDeliveries({ ...runtime, documentClient, sqsClient });
