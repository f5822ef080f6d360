import * as operations from "#contract/operations";
import { documentClient, type WithTable } from "#runtime/dynamodb";
import { operation } from "#runtime/operation";
import { runtime } from "#runtime/runtime";
import { sqsClient, type WithQueues } from "#runtime/sqs";
import { resendServiceOf } from "#webhooks/delivery/composition";
import { resend } from "#webhooks/delivery/resend";

export const resendWebhookDelivery = (dependencies: WithTable & WithQueues) => {
  const service = resendServiceOf(dependencies);
  return operation(operations.resendWebhookDelivery, async ({ organisation: { orgId }, id, eventId }) => {
    await resend(orgId, id, eventId, service);
  });
};

export const handler = resendWebhookDelivery({ ...runtime, documentClient, sqsClient });
