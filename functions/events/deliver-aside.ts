import { runtime } from "#runtime/runtime";
import { deliverAside, deliveryDependencies } from "#webhooks/delivery/delivery-consumer";

export const handler = deliverAside(deliveryDependencies(runtime));
