import { candidateLives } from "#candidates/lives";
import { deliveryQueue } from "#webhooks/deliveries";
import { deliveryLog } from "#webhooks/delivery-records";
import { deliveryAgain } from "#webhooks/resend";
import { webhookEndpoints } from "#webhooks/webhook-endpoints";

const service = {
  lives: candidateLives,
  endpoints: webhookEndpoints,
  log: deliveryLog,
  now: () => new Date(),
};

/** Puts one of the deployment's deliveries on its way once more. Errors as {@link deliveryAgain}. */
export async function resend(orgId: string, endpointId: string, eventId: string): Promise<void> {
  await deliveryQueue.send(await deliveryAgain(orgId, endpointId, eventId, service));
}
