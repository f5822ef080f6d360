import { candidateLivesOf } from "#candidates/outbox/candidate-lives";
import type { WithTable } from "#runtime/dynamodb";
import type { WithQueues } from "#runtime/sqs";
import { deliveryQueueOf } from "#webhooks/delivery/deliveries";
import { deliveryLogOf } from "#webhooks/delivery/delivery-records";
import { deliveryAgain } from "#webhooks/delivery/resend";
import { webhookEndpointsOf } from "#webhooks/endpoints/webhook-endpoints";

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
