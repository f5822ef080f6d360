import { documentClient } from "#runtime/dynamodb";
import { readEnvironment } from "#runtime/environment";
import { queueConsumer } from "#runtime/queue-consumer";
import type { Runtime } from "#runtime/runtime";
import { secretsManagerClient } from "#runtime/secrets-manager";
import { sendOnceClient } from "#runtime/sqs";
import { type DeliverySurroundings, deliverMessageServiceOf } from "#webhooks/delivery/composition";
import { deliverMessage } from "#webhooks/delivery/deliver-message";
import { WebhookClient } from "#webhooks/delivery/webhook-client";
import { AllowedNetworks } from "#webhooks/endpoints/delivery-address";
import type { Lane } from "#webhooks/endpoints/lane";

/** The consumer of the delivery queue. */
export function deliverWebhook(surroundings: DeliverySurroundings) {
  return deliveryConsumer("delivery", surroundings);
}

/** The consumer of the side queue. */
export function deliverAside(surroundings: DeliverySurroundings) {
  return deliveryConsumer("side", surroundings);
}

/** The consumer of the retry queue. */
export function retryWebhook(surroundings: DeliverySurroundings) {
  return deliveryConsumer("retry", surroundings);
}

function deliveryConsumer(lane: Lane, surroundings: DeliverySurroundings) {
  const service = deliverMessageServiceOf(lane, surroundings);
  return queueConsumer({
    failure: "delivery failed",
    run: (message) => deliverMessage(message, service),
  });
}

/** The clients of a delivering function, one of each per process. */
export function deliverySurroundings(runtime: Runtime): DeliverySurroundings {
  const environment = readEnvironment({ ALLOWED_WEBHOOK_NETWORKS: AllowedNetworks }, runtime.variables);
  const client = new WebhookClient(environment.ALLOWED_WEBHOOK_NETWORKS);
  return { ...runtime, documentClient, secretsManagerClient, sendOnceClient, client };
}
