import { documentClient, type WithTable } from "#runtime/dynamodb";
import { privateFunction } from "#runtime/private-function";
import { runtime } from "#runtime/runtime";
import { sqsClient, type WithQueues } from "#runtime/sqs";
import { recoverMissedOf, startRecoveryOf } from "#webhooks/recoveries/composition";
import { RecoverDeliveries } from "#webhooks/recoveries/recovery-commands";

export const recoverDeliveries = (dependencies: WithTable & WithQueues) => {
  const start = startRecoveryOf(dependencies);
  const startMissed = recoverMissedOf(dependencies);
  return privateFunction({
    input: RecoverDeliveries,
    run: async ({ orgId, endpointId, since, ...request }) =>
      since
        ? start(orgId, endpointId, { since, ...request })
        : ((await startMissed(orgId, endpointId, request)) ?? null),
  });
};

export const handler = recoverDeliveries({ ...runtime, documentClient, sqsClient });
