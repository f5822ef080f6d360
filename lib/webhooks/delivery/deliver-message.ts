import type { SQSRecord } from "aws-lambda";
import { logger } from "#runtime/logger";
import { metrics } from "#runtime/metrics";
import { deadLetter, deliver, moveTo } from "#webhooks/delivery/deliver";
import { type Delivery, idsOf, readDelivery } from "#webhooks/delivery/delivery";
import {
  DELIVERY_METRICS,
  type DeliveryMetric,
  type Measurements,
  measurementsOf,
} from "#webhooks/delivery/delivery-metrics";
import type { DeliveryOutcome, DeliveryService } from "#webhooks/delivery/delivery-service";
import { RECEIVES } from "#webhooks/delivery/retry-schedule";

/**
 * Processes one message of a queue of deliveries, and records metrics of the outcome. An unreadable message is parked
 * in the dead-letter queue.
 *
 * @throws Error if a fault of the service itself prevents an outcome: the message is then received again
 */
export async function deliverMessage(message: SQSRecord, service: DeliveryService): Promise<void> {
  const delivery = readDelivery(message.body);
  try {
    if (!delivery) return await park(message, service);
    const receives = Number(message.attributes.ApproximateReceiveCount);
    const outcome = await deliverReceived(delivery, receives, service);
    if (outcome) measure(measurementsOf(delivery, outcome, service.now()));
  } catch (error) {
    measure({ DeliveryFaults: 1 });
    const ids = { messageId: message.messageId, ...(delivery && idsOf(delivery)) };
    logger.error("delivery failed", { ...ids, cause: error });
    throw error;
  }
}

async function park({ messageId, body }: SQSRecord, { lane, deadLetters }: DeliveryService): Promise<void> {
  logger.error("unreadable delivery", { messageId, lane });
  await deadLetters.park(body);
}

/**
 * A message that the delivery queue or the side queue hands out again may have been posted before. It moves to the
 * retry queue, where the delivery's record shows that.
 *
 * @param receives how often the message has been received, this time included
 */
function deliverReceived(
  delivery: Delivery,
  receives: number,
  service: DeliveryService,
): Promise<DeliveryOutcome | undefined> {
  if (service.lane !== "retry") {
    return receives > 1 ? moveTo("retry", delivery, service) : deliver(delivery, service);
  }
  return receives > RECEIVES ? deadLetter(delivery, service) : deliver(delivery, service);
}

function measure(measurements: Measurements): void {
  for (const [name, value] of Object.entries(measurements)) {
    metrics.addMetric(name, DELIVERY_METRICS[name as DeliveryMetric], value);
  }
}
