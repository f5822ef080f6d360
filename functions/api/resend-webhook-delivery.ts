import { documentClient, type WithTable } from "#aws/dynamodb";
import { runtime } from "#aws/runtime";
import { sqsClient, type WithQueues } from "#aws/sqs";
import * as operations from "#contract/operations";
import { operation } from "#http/operation";
import { resendingOf } from "#webhooks/resending";

export const resendWebhookDelivery = (surroundings: WithTable & WithQueues) => {
  const resend = resendingOf(surroundings);
  return operation(operations.resendWebhookDelivery, async ({ organisation: { orgId }, id, eventId }) => {
    await resend(orgId, id, eventId);
  });
};

export const handler = resendWebhookDelivery({ ...runtime, documentClient, sqsClient });
