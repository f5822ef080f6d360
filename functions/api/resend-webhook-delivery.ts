import * as operations from "#contract/operations";
import { documentClient, type WithTable } from "#runtime/dynamodb";
import { operation } from "#runtime/operation";
import { runtime } from "#runtime/runtime";
import { sqsClient, type WithQueues } from "#runtime/sqs";
import { resendOf } from "#webhooks/delivery/composition";

export const resendWebhookDelivery = (dependencies: WithTable & WithQueues) => {
  const resend = resendOf(dependencies);
  return operation(operations.resendWebhookDelivery, async ({ organisation: { orgId }, id, eventId }) => {
    await resend(orgId, id, eventId);
  });
};

export const handler = resendWebhookDelivery({ ...runtime, documentClient, sqsClient });
