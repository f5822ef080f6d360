import * as operations from "#contract/operations";
import { documentClient, type WithTable } from "#runtime/dynamodb";
import { operation } from "#runtime/operation";
import { runtime } from "#runtime/runtime";
import { sqsClient, type WithQueues } from "#runtime/sqs";
import { startRecoveryServiceOf } from "#webhooks/recoveries/composition";
import { startRecovery as start } from "#webhooks/recoveries/start-recovery";

export const startRecovery = (dependencies: WithTable & WithQueues) => {
  const service = startRecoveryServiceOf(dependencies);
  return operation(operations.startRecovery, ({ organisation: { orgId }, id, body }) =>
    start(orgId, id, body, service),
  );
};

export const handler = startRecovery({ ...runtime, documentClient, sqsClient });
