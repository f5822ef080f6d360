import { documentClient, type WithTable } from "#aws/dynamodb";
import { privateFunction } from "#aws/private-function";
import { runtime } from "#aws/runtime";
import { sqsClient, type WithQueues } from "#aws/sqs";
import { ResendDelivery } from "#webhooks/delivery-commands";
import { resendingOf } from "#webhooks/resending";

export const resendDelivery = (surroundings: WithTable & WithQueues) => {
  const resend = resendingOf(surroundings);
  return privateFunction({
    input: ResendDelivery,
    async run({ orgId, endpointId, eventId }) {
      await resend(orgId, endpointId, eventId);
      return { eventId };
    },
  });
};

export const handler = resendDelivery({ ...runtime, documentClient, sqsClient });
