import { runtime } from "#runtime/runtime";
import { deliverAside, deliverySurroundings } from "#webhooks/delivery/delivery-consumer";

export const handler = deliverAside(deliverySurroundings(runtime));
