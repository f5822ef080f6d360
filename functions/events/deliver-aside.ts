import { runtime } from "#runtime/runtime";
import type { DeliveryDependencies } from "#webhooks/delivery/composition";
import { deliveryConsumer, deliveryDependencies } from "#webhooks/delivery/delivery-consumer";

export const deliverAside = (dependencies: DeliveryDependencies) => deliveryConsumer("side", dependencies);

export const handler = deliverAside(deliveryDependencies(runtime));
