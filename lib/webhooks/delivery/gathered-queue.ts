import type { Delivery } from "#webhooks/delivery/delivery";
import { DeliveriesRefused, type DeliveryQueue, type Refusal } from "#webhooks/delivery/delivery-queue";

/** How long deliveries are gathered, in ms: those of a batch that move to another queue do so almost at once. */
const GATHERED_FOR_MS = 5;

/** What is gathered for the next requests. */
interface Gathering {
  readonly deliveries: Delivery[];
  readonly refused: Promise<Refusal[]>;
}

/**
 * A queue for functions that send deliveries one by one, many of them at the same moment: all of a batch whose
 * receivers do not respond are cut together. They share a request, which costs as much as one for a single message (up
 * to 64 KiB; Amazon SQS pricing).
 */
export class GatheredQueue {
  readonly #queue: Pick<DeliveryQueue, "sendAll">;
  readonly #wait: (ms: number) => Promise<unknown>;
  #gathering: Gathering | undefined;

  constructor(queue: Pick<DeliveryQueue, "sendAll">, wait: (ms: number) => Promise<unknown>) {
    this.#queue = queue;
    this.#wait = wait;
  }

  /** @throws DeliveriesRefused when the queue refuses the delivery, or its request receives no response */
  async send(delivery: Delivery): Promise<void> {
    this.#gathering ??= this.#begin();
    this.#gathering.deliveries.push(delivery);
    const refused = (await this.#gathering.refused).filter((refusal) => refusal.delivery === delivery);
    if (refused.length > 0) throw new DeliveriesRefused(refused);
  }

  #begin(): Gathering {
    const deliveries: Delivery[] = [];
    const refused = this.#wait(GATHERED_FOR_MS).then(() => {
      this.#gathering = undefined;
      return this.#queue.sendAll(deliveries);
    });
    return { deliveries, refused };
  }
}
