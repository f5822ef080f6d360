import { runtime } from "#runtime/runtime";
import type { DeliverySurroundings } from "#webhooks/delivery/composition";
import { deliveryConsumer, deliverySurroundings } from "#webhooks/delivery/delivery-consumer";

export const deliverWebhook = (surroundings: DeliverySurroundings) =>
  deliveryConsumer("delivery", surroundings);

export const handler = deliverWebhook(deliverySurroundings(runtime));
