import { runtime } from "#runtime/runtime";
import type { DeliverySurroundings } from "#webhooks/delivery/composition";
import { deliverySurroundings, fastConsumer } from "#webhooks/delivery/delivery-consumer";

export const deliverWebhook = (surroundings: DeliverySurroundings) => fastConsumer(surroundings);

export const handler = deliverWebhook(deliverySurroundings(runtime));
