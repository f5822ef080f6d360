import type { Delivery } from "#webhooks/delivery/delivery";
import { type DeliveryQueue, LONGEST_DELAY_MS } from "#webhooks/delivery/delivery-queue";
import type { WaitingDeliveries } from "#webhooks/delivery/waiting-deliveries";
import type { LaterLane } from "#webhooks/endpoints/lane";

/** The queues of the lanes in which deliveries wait for their next attempt. */
type RetryQueues = Readonly<Record<LaterLane, Pick<DeliveryQueue, "send">>>;

/** Where deliveries wait for their next attempt: in a queue, or in the table if SQS cannot delay them so long. */
export class Retries {
  readonly #queues: RetryQueues;
  readonly #waiting: Pick<WaitingDeliveries, "add">;
  readonly #now: () => Date;

  constructor(queues: RetryQueues, waiting: Pick<WaitingDeliveries, "add">, now: () => Date) {
    this.#queues = queues;
    this.#waiting = waiting;
    this.#now = now;
  }

  /** @param lane in whose queue the delivery waits, if SQS can delay it for so long */
  async send(delivery: Delivery, lane: LaterLane): Promise<void> {
    const wait = Date.parse(delivery.dueAt) - this.#now().getTime();
    await (wait > LONGEST_DELAY_MS ? this.#waiting.add(delivery) : this.#queues[lane].send(delivery));
  }
}
