import { ServiceUnavailable } from "#contract/errors";
import { MINUTE } from "#runtime/durations";
import { logger } from "#runtime/logger";
import { metrics } from "#runtime/metrics";
import { type Delivery, readDelivery } from "#webhooks/delivery/delivery";
import { DELIVERY_METRICS } from "#webhooks/delivery/delivery-metrics";
import { DeliveriesRefused, type DeliveryQueue } from "#webhooks/delivery/delivery-queue";
import { type DueDelivery, PARTITIONS, type WaitingDeliveries } from "#webhooks/delivery/waiting-deliveries";

/**
 * How long before it is due a delivery is released, in ms: two runs of release-deliveries. SQS delays the message for
 * the rest of that time.
 */
const RELEASED_EARLY_MS = 2 * MINUTE;

export interface ReleaseService {
  readonly waiting: Pick<WaitingDeliveries, "dueBefore" | "remove">;
  readonly retryQueue: Pick<DeliveryQueue, "sendAll">;
  readonly deadLetters: Pick<DeliveryQueue, "park">;
  readonly now: () => Date;
}

/**
 * Moves the deliveries that are about to be due from the table to the retry queue, and measures how late the latest of
 * them is. Each is removed only when the queue has it: a fault in between sends it twice, and the second message is
 * recognised as a duplicate. Each run begins with another partition, so that runs which do not come to their end leave
 * out another one each time.
 *
 * @throws ServiceUnavailable when the table or the queue fails: what is left is released by the next run
 */
export async function releaseDeliveries(service: ReleaseService): Promise<void> {
  const startedAt = service.now().getTime();
  const causes: unknown[] = [];
  let latest = 0;
  for (let count = 0; count < PARTITIONS; count += 1) {
    const partition = (Math.floor(startedAt / MINUTE) + count) % PARTITIONS;
    try {
      const oldest = await releasePartition(partition, service);
      if (oldest !== undefined) latest = Math.max(latest, startedAt - oldest);
    } catch (error) {
      logger.error("release failed", { partition, cause: error });
      causes.push(error);
    }
  }
  if (causes.length > 0) throw new ServiceUnavailable({ cause: causes[0] });
  metrics.addMetric("ReleaseDelay", DELIVERY_METRICS.ReleaseDelay, latest);
}

/**
 * Parks in the dead-letter queue what it cannot read, and what the retry queue would refuse again: it must not block
 * what is behind it.
 *
 * @returns when the oldest delivery was due, in ms since 1970; undefined if there was none
 */
async function releasePartition(
  partition: number,
  { waiting, retryQueue, deadLetters, now }: ReleaseService,
): Promise<number | undefined> {
  const until = new Date(now().getTime() + RELEASED_EARLY_MS);
  let oldest: number | undefined;
  for await (const page of waiting.dueBefore(until, partition)) {
    const deliveries = new Map<Delivery, DueDelivery>();
    for (const due of page) {
      const delivery = readDelivery(due.message);
      if (delivery) {
        oldest ??= Date.parse(delivery.dueAt);
        deliveries.set(delivery, due);
      } else {
        logger.error("unreadable delivery", due.key);
        await deadLetters.park(due.message);
        await waiting.remove([due]);
      }
    }
    const refused = await retryQueue.sendAll([...deliveries.keys()]);
    for (const { delivery, senderFault } of refused) {
      const due = deliveries.get(delivery);
      deliveries.delete(delivery);
      if (!senderFault || !due) continue;
      await deadLetters.park(due.message);
      await waiting.remove([due]);
    }
    await waiting.remove([...deliveries.values()]);
    logger.info("deliveries released", { partition, released: deliveries.size });
    const again = refused.filter(({ senderFault }) => !senderFault);
    if (again.length > 0) throw new DeliveriesRefused(again);
  }
  return oldest;
}
