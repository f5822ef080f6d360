import type { SQSRecord } from "aws-lambda";
import { metrics } from "#runtime/metrics";
import { type DeliveryService, deadLetter, deliver } from "#webhooks/delivery/deliver";
import { readDelivery } from "#webhooks/delivery/delivery";
import {
  DELIVERY_METRICS,
  type DeliveryMetric,
  type Measurements,
  measurementsOf,
} from "#webhooks/delivery/delivery-metrics";
import type { DeliveryQueue } from "#webhooks/delivery/delivery-queue";
import { RECEIVES } from "#webhooks/delivery/retry-schedule";

export interface DeliverMessageService extends DeliveryService {
  readonly deadLetters: Pick<DeliveryQueue, "send" | "park">;
}

/**
 * Processes one message of the delivery queue or the retry queue, and records metrics of the outcome. An unreadable
 * message is parked in the dead-letter queue.
 *
 * @throws Error if a fault of the service itself prevents an outcome: the message is then received again
 */
export async function deliverMessage(message: SQSRecord, service: DeliverMessageService): Promise<void> {
  try {
    measure(await outcomeOf(message, service));
  } catch (error) {
    measure({ DeliveryFaults: 1 });
    throw error;
  }
}

async function outcomeOf(
  { body, attributes }: SQSRecord,
  service: DeliverMessageService,
): Promise<Measurements> {
  const delivery = readDelivery(body);
  if (!delivery) {
    await service.deadLetters.park(body);
    return {};
  }
  const outcome =
    Number(attributes.ApproximateReceiveCount) > RECEIVES
      ? await deadLetter(delivery, service)
      : await deliver(delivery, service);
  return outcome ? measurementsOf(delivery, outcome, service.now()) : {};
}

function measure(measurements: Measurements): void {
  for (const [name, value] of Object.entries(measurements)) {
    metrics.addMetric(name, DELIVERY_METRICS[name as DeliveryMetric], value);
  }
}
