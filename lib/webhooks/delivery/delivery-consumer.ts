import type { SQSRecord } from "aws-lambda";
import * as z from "zod/mini";
import { documentClient } from "#runtime/dynamodb";
import { readEnvironment } from "#runtime/environment";
import { queueConsumer } from "#runtime/queue-consumer";
import type { Runtime } from "#runtime/runtime";
import { secretsManagerClient } from "#runtime/secrets-manager";
import { sendOnceClient } from "#runtime/sqs";
import {
  type DeliverySurroundings,
  deliverMessageServiceOf,
  deliveryEndpointsOf,
} from "#webhooks/delivery/composition";
import { type DeliverMessageService, deliverMessage } from "#webhooks/delivery/deliver-message";
import { WebhookClient } from "#webhooks/delivery/webhook-client";
import { AllowedNetworks } from "#webhooks/endpoints/delivery-address";

/** The consumer of the delivery queue and the side queue, whose attempts are short. */
export function deliverWebhook(surroundings: DeliverySurroundings) {
  const service = deliverMessageServiceOf("delivery", surroundings);
  const endpoints = deliveryEndpointsOf("side", surroundings);
  const sideService: DeliverMessageService = { ...service, lane: "side", endpoints };
  const { SIDE_QUEUE_URL } = readEnvironment({ SIDE_QUEUE_URL: z.url() }, surroundings.variables);
  const sideQueue = SIDE_QUEUE_URL.slice(SIDE_QUEUE_URL.lastIndexOf("/") + 1);
  return deliveryConsumer(({ eventSourceARN }) =>
    eventSourceARN.endsWith(`:${sideQueue}`) ? sideService : service,
  );
}

/** The consumer of the retry queue. */
export function retryWebhook(surroundings: DeliverySurroundings) {
  const service = deliverMessageServiceOf("retry", surroundings);
  return deliveryConsumer(() => service);
}

function deliveryConsumer(serviceOf: (message: SQSRecord) => DeliverMessageService) {
  return queueConsumer({
    failure: "delivery failed",
    run: (message) => deliverMessage(message, serviceOf(message)),
  });
}

/** The clients of a delivering function, one of each per process. */
export function deliverySurroundings(runtime: Runtime): DeliverySurroundings {
  const environment = readEnvironment({ ALLOWED_WEBHOOK_NETWORKS: AllowedNetworks }, runtime.variables);
  const client = new WebhookClient(environment.ALLOWED_WEBHOOK_NETWORKS);
  return { ...runtime, documentClient, secretsManagerClient, sendOnceClient, client };
}
