import { runtime } from "#runtime/runtime";
import type { DeliverySurroundings } from "#webhooks/delivery/composition";
import { deliverySurroundings, retryConsumer } from "#webhooks/delivery/delivery-consumer";

export const retryWebhook = (surroundings: DeliverySurroundings) => retryConsumer(surroundings);

export const handler = retryWebhook(deliverySurroundings(runtime));
