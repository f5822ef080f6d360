import type { SQSRecord } from "aws-lambda";
import { beforeEach, expect, test, vi } from "vitest";
import { metrics } from "#runtime/metrics";
import { deliverMessage } from "#webhooks/delivery/deliver-message";
import { withoutBody } from "#webhooks/delivery/delivery";
import { capturedLogs } from "../../builders/captured-logs.ts";
import { aDelivery } from "../builders.ts";
import { aService } from "./delivery-service.ts";

const outage = new Error("outage");

const logs = capturedLogs();
const measured = new Map<string, number>();
beforeEach(() => {
  measured.clear();
  vi.spyOn(metrics, "addMetric").mockImplementation((name, _unit, value) => {
    measured.set(name, value);
    return metrics;
  });
});

function aMessage(body: unknown, ApproximateReceiveCount = "1"): SQSRecord {
  return { body: JSON.stringify(body), attributes: { ApproximateReceiveCount } } as SQSRecord;
}

test.each(["1", "3", "20"])(
  "a message that the retry queue hands out for the %sth time is attempted",
  async (received) => {
    const { service, register } = aService();

    await deliverMessage(aMessage(aDelivery({ endpointId: register().id }), received), {
      ...service,
      lane: "retry",
    });

    expect(service.client.post).toHaveBeenCalledOnce();
    expect(service.deadLetters.send).not.toHaveBeenCalled();
    expect(measured.get("DeliveriesDelivered")).toBe(1);
  },
);

test.each(["21", "100"])(
  "a message that the retry queue hands out for the %sth time is dead-lettered",
  async (received) => {
    const { service, register } = aService();

    await deliverMessage(aMessage(aDelivery({ endpointId: register().id }), received), {
      ...service,
      lane: "retry",
    });

    expect(service.client.post).not.toHaveBeenCalled();
    expect(service.deadLetters.send).toHaveBeenCalledOnce();
    expect(measured.get("DeliveriesFailed")).toBe(1);
  },
);

test.each(["2", "100"])(
  "a message that the delivery queue hands out for the %sth time moves to the retry queue",
  async (received) => {
    const { service, register } = aService();
    const delivery = aDelivery({ endpointId: register().id });

    await deliverMessage(aMessage(delivery, received), service);

    expect(service.retries.send).toHaveBeenCalledExactlyOnceWith(withoutBody(delivery), "retry");
    expect(service.client.post).not.toHaveBeenCalled();
    expect(service.deadLetters.send).not.toHaveBeenCalled();
    expect(measured.get("PendingEventAge")).toBe(0);
  },
);

test("only a message of the retry queue causes a read of the delivery's record", async () => {
  const { service, register } = aService();
  const delivery = aDelivery({ endpointId: register().id });

  await deliverMessage(aMessage(delivery), service);
  expect(service.log.find).not.toHaveBeenCalled();

  await deliverMessage(aMessage(delivery), { ...service, lane: "retry" });
  expect(service.log.find).toHaveBeenCalledOnce();
});

test("an unreadable delivery message is parked, logged without its content, and not measured", async () => {
  const { service } = aService();

  await deliverMessage({ ...aMessage("no delivery"), messageId: "1" }, service);

  expect(JSON.parse(logs.text())).toMatchObject({
    level: "ERROR",
    message: "unreadable delivery",
    messageId: "1",
  });
  expect(logs.text()).not.toContain("no delivery");

  expect(service.deadLetters.park).toHaveBeenCalledExactlyOnceWith('"no delivery"');
  expect(measured).toEqual(new Map());
});

test("an unreadable delivery message that cannot be parked returns to the queue and counts as a fault", async () => {
  const { service } = aService();
  service.deadLetters.park.mockRejectedValueOnce(outage);

  await expect(deliverMessage(aMessage("no delivery"), service)).rejects.toThrow(outage);

  expect(measured).toEqual(new Map([["DeliveryFaults", 1]]));
});
