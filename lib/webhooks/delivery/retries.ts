import type { Delivery } from "#webhooks/delivery/delivery";
import { type DeliveryQueue, LONGEST_DELAY } from "#webhooks/delivery/delivery-queue";
import type { WaitingDeliveries } from "#webhooks/delivery/waiting-deliveries";

/** Where deliveries wait for their next attempt: in the retry queue, or in the table if SQS cannot delay them so long. */
export class Retries {
  readonly #queue: Pick<DeliveryQueue, "send">;
  readonly #waiting: Pick<WaitingDeliveries, "add">;
  readonly #now: () => Date;

  constructor(queue: Pick<DeliveryQueue, "send">, waiting: Pick<WaitingDeliveries, "add">, now: () => Date) {
    this.#queue = queue;
    this.#waiting = waiting;
    this.#now = now;
  }

  async send(delivery: Delivery): Promise<void> {
    const wait = Date.parse(delivery.dueAt) - this.#now().getTime();
    await (wait > LONGEST_DELAY ? this.#waiting.add(delivery) : this.#queue.send(delivery));
  }
}
