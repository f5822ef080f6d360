import * as operations from "#contract/operations";
import { documentClient, type WithTable } from "#runtime/dynamodb";
import { operation } from "#runtime/operation";
import { runtime } from "#runtime/runtime";
import { sqsClient, type WithQueues } from "#runtime/sqs";
import { sampleServiceOf } from "#webhooks/delivery/composition";
import { sendSample } from "#webhooks/delivery/sample";

export const testWebhookEndpoint = (dependencies: WithTable & WithQueues) => {
  const service = sampleServiceOf(dependencies);
  return operation(operations.testWebhookEndpoint, ({ organisation: { orgId }, id, query }) =>
    sendSample(orgId, id, query.eventType, service),
  );
};

export const handler = testWebhookEndpoint({ ...runtime, documentClient, sqsClient });
