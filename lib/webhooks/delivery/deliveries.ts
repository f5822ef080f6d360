import * as z from "zod/mini";
import { readEnvironment } from "#runtime/environment";
import type { WithQueues } from "#runtime/sqs";
import { DeliveryQueue } from "#webhooks/delivery/delivery-queue";

/** The queue of the deployment's deliveries. */
export function deliveryQueueOf({ sqsClient, variables, now }: WithQueues): DeliveryQueue {
  const environment = readEnvironment({ DELIVERY_QUEUE_URL: z.url() }, variables);
  return new DeliveryQueue(sqsClient, environment.DELIVERY_QUEUE_URL, now);
}
