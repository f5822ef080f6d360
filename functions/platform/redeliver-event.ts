import { documentClient, type WithTable } from "#runtime/dynamodb";
import { privateFunction } from "#runtime/private-function";
import { runtime } from "#runtime/runtime";
import { sqsClient, type WithQueues } from "#runtime/sqs";
import { resendServiceOf } from "#webhooks/delivery/composition";
import { RedeliverEvent } from "#webhooks/delivery/delivery-commands";
import { resend } from "#webhooks/delivery/resend";

export const redeliverEvent = (dependencies: WithTable & WithQueues) => {
  const service = resendServiceOf(dependencies);
  return privateFunction({
    input: RedeliverEvent,
    loggedInput: ["orgId", "endpointId", "eventId"],
    async run({ orgId, endpointId, eventId }) {
      await resend(orgId, endpointId, eventId, service);
      return { eventId };
    },
  });
};

export const handler = redeliverEvent({ ...runtime, documentClient, sqsClient });
