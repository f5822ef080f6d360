import { documentClient, type WithTable } from "#runtime/dynamodb";
import { privateFunction } from "#runtime/private-function";
import { runtime } from "#runtime/runtime";
import { sqsClient, type WithQueues } from "#runtime/sqs";
import { startRecoveryOf } from "#webhooks/recoveries/composition";
import { RecoverDeliveries } from "#webhooks/recoveries/recovery-commands";

export const recoverDeliveries = (surroundings: WithTable & WithQueues) => {
  const start = startRecoveryOf(surroundings);
  return privateFunction({
    input: RecoverDeliveries,
    run: ({ orgId, endpointId, ...request }) => start(orgId, endpointId, request),
  });
};

export const handler = recoverDeliveries({ ...runtime, documentClient, sqsClient });
