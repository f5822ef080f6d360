import type { WithTable } from "#aws/dynamodb";
import type { WithQueues } from "#aws/sqs";
import { candidateLivesOf } from "#candidates/lives";
import { deliveryQueueOf } from "#webhooks/deliveries";
import { deliveryLogOf } from "#webhooks/delivery-records";
import { deliveryAgain } from "#webhooks/resend";
import { webhookEndpointsOf } from "#webhooks/webhook-endpoints";

/** What puts one of the deployment's deliveries on its way once more. Errors as {@link deliveryAgain}. */
export function resendingOf(surroundings: WithTable & WithQueues) {
  const queue = deliveryQueueOf(surroundings);
  const service = {
    lives: candidateLivesOf(surroundings),
    endpoints: webhookEndpointsOf(surroundings),
    log: deliveryLogOf(surroundings),
    now: surroundings.now,
  };
  return async (orgId: string, endpointId: string, eventId: string): Promise<void> =>
    queue.send(await deliveryAgain(orgId, endpointId, eventId, service));
}
