import { logger } from "#runtime/logger";
import { type Delivery, readDelivery } from "#webhooks/delivery/delivery";
import type { DeliveryQueue } from "#webhooks/delivery/delivery-queue";
import type { DueDelivery, WaitingDeliveries } from "#webhooks/delivery/waiting-deliveries";

/**
 * How long before it is due a delivery is released, in ms: two runs of release-deliveries. SQS delays the message for
 * the rest of that time.
 */
const RELEASED_EARLY = 2 * 60_000;

export interface ReleaseService {
  readonly waiting: Pick<WaitingDeliveries, "dueBefore" | "remove">;
  readonly retryQueue: Pick<DeliveryQueue, "sendAll">;
  readonly deadLetters: Pick<DeliveryQueue, "park">;
  readonly now: () => Date;
}

/**
 * Moves the deliveries that are about to be due from the table to the retry queue. Each is removed only when the queue
 * has it: a fault in between sends it twice, and the second message is recognised as a copy. An unreadable one is parked
 * in the dead-letter queue.
 *
 * @throws Error when the table or the queue fails: what is left is released by the next run
 */
export async function releaseDeliveries({
  waiting,
  retryQueue,
  deadLetters,
  now,
}: ReleaseService): Promise<void> {
  const until = new Date(now().getTime() + RELEASED_EARLY);
  let released = 0;
  let refused = 0;
  for await (const page of waiting.dueBefore(until)) {
    const deliveries = new Map<Delivery, DueDelivery>();
    for (const due of page) {
      const delivery = readDelivery(due.message);
      if (delivery) {
        deliveries.set(delivery, due);
      } else {
        await deadLetters.park(due.message);
        await waiting.remove(due);
      }
    }
    for (const { delivery } of await retryQueue.sendAll([...deliveries.keys()])) {
      deliveries.delete(delivery);
      refused += 1;
    }
    await Promise.all([...deliveries.values()].map((due) => waiting.remove(due)));
    released += deliveries.size;
  }
  if (released > 0) logger.info("deliveries released", { released });
  if (refused > 0) throw new Error(`Deliveries that the retry queue refused: ${refused}.`);
}
