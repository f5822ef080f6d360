import { documentClient, type WithTable } from "#aws/dynamodb";
import { runtime } from "#aws/runtime";
import { sqsClient, type WithQueues } from "#aws/sqs";
import { accepted } from "#http/answers";
import { operation } from "#http/operation";
import { resendingOf } from "#webhooks/resending";

export const resendWebhookDelivery = (surroundings: WithTable & WithQueues) => {
  const resend = resendingOf(surroundings);
  return operation({
    operationId: "resendWebhookDelivery",
    async run({ organisation: { orgId }, id, eventId }) {
      await resend(orgId, id, eventId);
      return accepted();
    },
  });
};

export const handler = resendWebhookDelivery({ ...runtime, documentClient, sqsClient });
