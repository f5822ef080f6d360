import { runtime } from "#runtime/runtime";
import { deliverySurroundings, retryWebhook } from "#webhooks/delivery/delivery-consumer";

export const handler = retryWebhook(deliverySurroundings(runtime));
