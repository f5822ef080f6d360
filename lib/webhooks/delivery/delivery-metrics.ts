import type { DeliveryAttempt } from "#contract/webhook-delivery";
import { type Delivery, eventOf } from "#webhooks/delivery/delivery";
import type { DeliveryOutcome } from "#webhooks/delivery/delivery-service";

/** The delivery metrics and their units. CloudWatch bills per metric, so they have no further dimensions. */
export const DELIVERY_METRICS = {
  /**
   * Deliveries by outcome. Counts are recorded only if they are 1, because each is billed as a part of the log. Only
   * this one is also 0 with each failed attempt, so that its series has points while every attempt fails.
   */
  DeliveriesDelivered: "Count",
  DeliveriesFailed: "Count",
  DeliveriesDropped: "Count",
  /** Attempts without a 2xx response. Every other attempt succeeded. */
  AttemptsFailed: "Count",
  /** Attempts that were cut short in the delivery queue or the side queue, and made again from the retry queue. */
  AttemptsCut: "Count",
  EndpointsSetInactive: "Count",
  /** Recorded when a delivery ends. */
  AttemptsPerDelivery: "Count",
  /** From the event to the first attempt, and to the response that acknowledged it. */
  FirstAttemptDelay: "Milliseconds",
  DeliveryDelay: "Milliseconds",
  /** Of an undelivered event, recorded whenever its message is received: once for each attempt. */
  PendingEventAge: "Milliseconds",
  /** How late the latest delivery that waited in the table was released, once a minute; 0 if none was late. */
  ReleaseDelay: "Milliseconds",
  /** Messages that are received again because of a fault of the service itself. */
  DeliveryFaults: "Count",
} as const;

export type DeliveryMetric = keyof typeof DELIVERY_METRICS;
export type Measurements = Readonly<Partial<Record<DeliveryMetric, number>>>;

/** The metrics of a processed message. A sample concerns no candidate and is not counted. */
export function measurementsOf(
  delivery: Delivery,
  { status, lastAttempt, endpointSetInactive = false, attemptCut = false }: DeliveryOutcome,
  now: Date,
): Measurements {
  if (delivery.sample) return {};
  const since = (moment: number) => Math.max(0, moment - Date.parse(eventOf(delivery).occurredAt));
  return {
    ...(status === "delivered" && { DeliveriesDelivered: 1 }),
    ...(status === "failed" && { DeliveriesFailed: 1 }),
    ...(status === "dropped" && { DeliveriesDropped: 1 }),
    ...(lastAttempt && status !== "delivered" && { AttemptsFailed: 1, DeliveriesDelivered: 0 }),
    ...(attemptCut && { AttemptsCut: 1 }),
    ...(endpointSetInactive && { EndpointsSetInactive: 1 }),
    ...(status === "pending"
      ? { PendingEventAge: since(now.getTime()) }
      : { AttemptsPerDelivery: lastAttempt ? delivery.attempt : delivery.attempt - 1 }),
    ...(lastAttempt && !delivery.resentAt && delaysOf(lastAttempt)),
  };

  function delaysOf({ attempt, at, durationMs }: DeliveryAttempt): Measurements {
    const attemptedAt = Date.parse(at);
    return {
      ...(attempt === 1 && { FirstAttemptDelay: since(attemptedAt) }),
      ...(status === "delivered" && { DeliveryDelay: since(attemptedAt + durationMs) }),
    };
  }
}
