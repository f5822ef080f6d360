import { runtime } from "#runtime/runtime";
import { deliverWebhook, deliverySurroundings } from "#webhooks/delivery/delivery-consumer";

export const handler = deliverWebhook(deliverySurroundings(runtime));
