import { runtime } from "#runtime/runtime";
import type { DeliveryDependencies } from "#webhooks/delivery/composition";
import { deliveryConsumer, deliveryDependencies } from "#webhooks/delivery/delivery-consumer";

export const deliverWebhook = (dependencies: DeliveryDependencies) =>
  deliveryConsumer("delivery", dependencies);

export const handler = deliverWebhook(deliveryDependencies(runtime));
