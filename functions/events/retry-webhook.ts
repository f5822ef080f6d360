import { runtime } from "#runtime/runtime";
import type { DeliverySurroundings } from "#webhooks/delivery/composition";
import { deliveryConsumer, deliverySurroundings } from "#webhooks/delivery/delivery-consumer";

export const retryWebhook = (surroundings: DeliverySurroundings) => deliveryConsumer("retry", surroundings);

export const handler = retryWebhook(deliverySurroundings(runtime));
