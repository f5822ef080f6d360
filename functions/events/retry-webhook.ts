import { runtime } from "#runtime/runtime";
import type { DeliveryDependencies } from "#webhooks/delivery/composition";
import { deliveryConsumer, deliveryDependencies } from "#webhooks/delivery/delivery-consumer";

export const retryWebhook = (dependencies: DeliveryDependencies) => deliveryConsumer("retry", dependencies);

export const handler = retryWebhook(deliveryDependencies(runtime));
