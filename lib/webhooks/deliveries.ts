import * as z from "zod/mini";
import { readEnvironment } from "#aws/environment";
import { sqsClient } from "#aws/sqs";
import { DeliveryQueue } from "#webhooks/delivery-queue";

const environment = readEnvironment({ DELIVERY_QUEUE_URL: z.url() });

/** The queue of the deployment's deliveries. */
export const deliveryQueue = new DeliveryQueue(sqsClient, environment.DELIVERY_QUEUE_URL);
