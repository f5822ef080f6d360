import { documentClient } from "#runtime/dynamodb";
import { queueConsumer } from "#runtime/queue-consumer";
import type { Runtime } from "#runtime/runtime";
import { secretsManagerClient } from "#runtime/secrets-manager";
import { sendOnceClient } from "#runtime/sqs";
import { type DeliveryDependencies, deliveryServiceOf } from "#webhooks/delivery/composition";
import { deliverMessage } from "#webhooks/delivery/deliver-message";
import { guardedAgent, WebhookClient } from "#webhooks/delivery/webhook-client";
import { allowedNetworksOf } from "#webhooks/endpoints/composition";
import type { Lane } from "#webhooks/endpoints/lane";

/** The consumer of one of the queues of deliveries. */
export function deliveryConsumer(lane: Lane, dependencies: DeliveryDependencies) {
  const service = deliveryServiceOf(lane, dependencies);
  return queueConsumer((message) => deliverMessage(message, service));
}

/** The clients of a delivering function, one of each per process. */
export function deliveryDependencies(runtime: Runtime): DeliveryDependencies {
  const client = new WebhookClient(guardedAgent(allowedNetworksOf(runtime)));
  return { ...runtime, documentClient, secretsManagerClient, sendOnceClient, client };
}
