import { runtime } from "#runtime/runtime";
import { deliverWebhook, deliveryDependencies } from "#webhooks/delivery/delivery-consumer";

export const handler = deliverWebhook(deliveryDependencies(runtime));
