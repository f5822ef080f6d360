import type { DeliveryAttempt } from "#contract/webhook-delivery";
import type { DeliveryOutcome } from "#webhooks/delivery/deliver";
import { type Delivery, eventOf } from "#webhooks/delivery/delivery";

/** Each metric of deliveries with its unit. CloudWatch bills by the metric, so they have no dimension of their own. */
export const DELIVERY_METRICS = {
  /** Deliveries by how they ended, each 0 or 1 whenever one is worked on: averages are shares. */
  DeliveriesDelivered: "Count",
  DeliveriesFailed: "Count",
  DeliveriesDropped: "Count",
  /** Tries that were not answered with a 2xx. Every other try delivered. */
  AttemptsFailed: "Count",
  EndpointsSetInactive: "Count",
  /** Of a delivery that ended. */
  AttemptsPerDelivery: "Count",
  /** From the event to the first attempt, and to the answer that acknowledged it. */
  FirstAttemptDelay: "Milliseconds",
  DeliveryDelay: "Milliseconds",
  /** Of an event that is still to be delivered, told whenever its message comes by: at least every 15 minutes. */
  PendingEventAge: "Milliseconds",
  /** Messages that come back because of a fault of our own. */
  DeliveryFaults: "Count",
} as const;

export type DeliveryMetric = keyof typeof DELIVERY_METRICS;
export type Measurements = Readonly<Partial<Record<DeliveryMetric, number>>>;

/** What a message adds to the metrics. A sample is no candidate's event, and adds nothing. */
export function measurementsOf(
  delivery: Delivery,
  { status, lastAttempt, endpointSetInactive = false }: DeliveryOutcome,
  now: Date,
): Measurements {
  if (delivery.sample) return {};
  const since = (moment: number) => Math.max(0, moment - Date.parse(eventOf(delivery).occurredAt));
  return {
    DeliveriesDelivered: Number(status === "delivered"),
    DeliveriesFailed: Number(status === "failed"),
    DeliveriesDropped: Number(status === "dropped"),
    AttemptsFailed: Number(lastAttempt !== undefined && status !== "delivered"),
    EndpointsSetInactive: Number(endpointSetInactive),
    ...(status === "pending"
      ? { PendingEventAge: since(now.getTime()) }
      : { AttemptsPerDelivery: lastAttempt ? delivery.attempt : delivery.attempt - 1 }),
    ...(lastAttempt && !delivery.resentAt && delaysOf(lastAttempt)),
  };

  function delaysOf({ attempt, at, durationMs }: DeliveryAttempt): Measurements {
    const triedAt = Date.parse(at);
    return {
      ...(attempt === 1 && { FirstAttemptDelay: since(triedAt) }),
      ...(status === "delivered" && { DeliveryDelay: since(triedAt + durationMs) }),
    };
  }
}
