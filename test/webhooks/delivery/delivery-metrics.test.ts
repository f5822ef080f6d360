import { describe, expect, test } from "vitest";
import type { DeliveryStatus } from "#contract/webhook-delivery";
import { measurementsOf } from "#webhooks/delivery/delivery-metrics";
import type { DeliveryOutcome } from "#webhooks/delivery/delivery-service";
import { aDelivery, NOW } from "../builders.ts";

const MINUTE = 60_000;
const later = (ms: number) => new Date(NOW.getTime() + ms);

/** The outcome of an attempt that began so many ms after the event, and took 250 ms. */
function tried(status: DeliveryStatus, ms: number, attempt = 1): DeliveryOutcome {
  return { status, lastAttempt: { attempt, at: later(ms).toISOString(), durationMs: 250, statusCode: 200 } };
}

describe("the metrics of a delivery", () => {
  test("that its first attempt delivers contain both delays since the event", () => {
    expect(measurementsOf(aDelivery(), tried("delivered", 400), later(700))).toEqual({
      DeliveriesDelivered: 1,
      AttemptsPerDelivery: 1,
      FirstAttemptDelay: 400,
      DeliveryDelay: 650,
    });
  });

  test("that a later attempt delivers contain the number of attempts and no first-attempt delay", () => {
    const measured = measurementsOf(
      aDelivery({ attempt: 4 }),
      tried("delivered", 6 * MINUTE, 4),
      later(7 * MINUTE),
    );

    expect(measured).toMatchObject({
      DeliveriesDelivered: 1,
      AttemptsPerDelivery: 4,
      DeliveryDelay: 6 * MINUTE + 250,
    });
    expect(measured).not.toHaveProperty("FirstAttemptDelay");
  });

  test("whose failed attempt is followed by a retry contain the pending event's age", () => {
    const measured = measurementsOf(
      aDelivery({ attempt: 3 }),
      tried("pending", MINUTE, 3),
      later(MINUTE + 300),
    );

    expect(measured).toEqual({
      DeliveriesDelivered: 0,
      AttemptsFailed: 1,
      PendingEventAge: MINUTE + 300,
    });
  });

  test("whose attempt was cut contain that, the pending event's age, and no failed attempt", () => {
    const measured = measurementsOf(aDelivery(), { status: "pending", attemptCut: true }, later(2_000));

    expect(measured).toEqual({ AttemptsCut: 1, PendingEventAge: 2_000 });
  });

  test("that only keeps waiting contain its age and no attempt", () => {
    const waiting = { status: "pending", nextAttemptAt: later(60 * MINUTE).toISOString() } as const;

    expect(measurementsOf(aDelivery({ attempt: 6 }), waiting, later(30 * MINUTE))).toEqual({
      PendingEventAge: 30 * MINUTE,
    });
  });

  test("that fails for good contain the endpoint that its last attempt set inactive", () => {
    const outcome = { ...tried("failed", MINUTE, 11), endpointSetInactive: true };

    expect(measurementsOf(aDelivery({ attempt: 11 }), outcome, later(MINUTE))).toEqual({
      DeliveriesDelivered: 0,
      DeliveriesFailed: 1,
      AttemptsFailed: 1,
      AttemptsPerDelivery: 11,
      EndpointsSetInactive: 1,
    });
  });

  test("that is dropped contain the number of earlier attempts", () => {
    expect(measurementsOf(aDelivery({ attempt: 3 }), { status: "dropped" }, NOW)).toEqual({
      DeliveriesDropped: 1,
      AttemptsPerDelivery: 2,
    });
  });

  test("that was resent contain no delay, which would be the sender's", () => {
    const measured = measurementsOf(
      aDelivery({ resentAt: NOW.toISOString() }),
      tried("delivered", 100 * MINUTE),
      NOW,
    );

    expect(measured).toMatchObject({ DeliveriesDelivered: 1, AttemptsPerDelivery: 1 });
    expect(measured).not.toHaveProperty("FirstAttemptDelay");
    expect(measured).not.toHaveProperty("DeliveryDelay");
  });

  test("of a sample are empty", () => {
    expect(measurementsOf(aDelivery({ sample: true }), tried("failed", 400), NOW)).toEqual({});
  });

  test("whose event is dated later by another clock contain no negative time", () => {
    expect(measurementsOf(aDelivery(), tried("delivered", -500), later(-200))).toMatchObject({
      FirstAttemptDelay: 0,
      DeliveryDelay: 0,
    });
  });
});
