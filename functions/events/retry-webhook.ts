import { runtime } from "#runtime/runtime";
import { deliveryDependencies, retryWebhook } from "#webhooks/delivery/delivery-consumer";

export const handler = retryWebhook(deliveryDependencies(runtime));
