import * as operations from "#contract/operations";
import { documentClient, type WithTable } from "#runtime/dynamodb";
import { operation } from "#runtime/operation";
import { runtime } from "#runtime/runtime";
import { sqsClient, type WithQueues } from "#runtime/sqs";
import { startRecoveryOf } from "#webhooks/recoveries/composition";

export const startRecovery = (dependencies: WithTable & WithQueues) => {
  const start = startRecoveryOf(dependencies);
  return operation(operations.startRecovery, ({ organisation: { orgId }, id, body }) =>
    start(orgId, id, body),
  );
};

export const handler = startRecovery({ ...runtime, documentClient, sqsClient });
