import { describe, expect, test } from "vitest";
import { deliver } from "#webhooks/delivery/deliver";
import type { Delivery } from "#webhooks/delivery/delivery";
import { capturedLogs } from "../../builders/captured-logs.ts";
import { aDelivery, NOW } from "../builders.ts";
import { aService, DAY, fromRetryQueue, MINUTE, responded } from "./delivery-service.ts";

const logs = capturedLogs();

describe("a duplicate delivery message", () => {
  test("whose attempt was already made is dropped and starts no second chain of attempts", async () => {
    const { service, register, sent } = aService(responded(500));
    const delivery = aDelivery({ endpointId: register().id, attempt: 2 });

    await deliver(delivery, fromRetryQueue(service));
    await expect(deliver(delivery, fromRetryQueue(service))).resolves.toBeUndefined();

    expect(service.client.post).toHaveBeenCalledOnce();
    expect(service.log.record).toHaveBeenCalledOnce();
    expect(sent.map((message) => message.delivery.attempt)).toEqual([3]);
    expect(logs.text()).toContain("duplicate dropped");
  });

  test("of a retry is dropped by the side queue too", async () => {
    const { service, register, sent } = aService(responded(500));
    const delivery = aDelivery({ endpointId: register().id, attempt: 2 });
    const fromSideQueue = { ...service, lane: "side" } as const;

    await deliver(delivery, fromSideQueue);
    await expect(deliver(delivery, fromSideQueue)).resolves.toBeUndefined();

    expect(service.client.post).toHaveBeenCalledOnce();
    expect(sent.map((message) => message.delivery.attempt)).toEqual([3]);
  });

  test("is dropped, whatever its attempt, after a successful attempt", async () => {
    const { service, register } = aService((attempt) => responded(attempt === 2 ? 204 : 500));
    const delivery = aDelivery({ endpointId: register().id, attempt: 2 });

    await deliver(delivery, fromRetryQueue(service));
    await deliver({ ...delivery, attempt: 5 }, fromRetryQueue(service));

    expect(service.client.post).toHaveBeenCalledOnce();
  });

  test("causes no further attempt even if the record does not show it as waiting", async () => {
    const { service, register, sent } = aService(responded(500));
    const delivery = aDelivery({ endpointId: register().id });
    await deliver(delivery, fromRetryQueue(service));

    await deliver({ ...delivery, attempt: 2 }, fromRetryQueue(service));

    expect(service.client.post).toHaveBeenCalledTimes(2);
    expect(sent.map((message) => message.delivery.attempt)).toEqual([2, 3]);
  });

  test("does not multiply attempts: each is made once even if every message arrives three times", async () => {
    const { service, register, run, sent } = aService(responded(500));
    const send = service.retries.send.getMockImplementation();
    service.retries.send.mockImplementation(async (delivery, lane) => {
      for (let copies = 0; copies < 3; copies++) await send?.(delivery, lane);
    });

    await run(aDelivery({ endpointId: register().id }));

    expect(service.client.post).toHaveBeenCalledTimes(11);
    expect(sent).toEqual([]);
  });

  test("is not mistaken for a delivery that was resent in the meantime", async () => {
    const { service, register, sent, clock } = aService(responded(500));
    const first = aDelivery({ endpointId: register().id, attempt: 2 });
    await deliver(first, fromRetryQueue(service));
    clock.ms += DAY;
    const again: Delivery = { ...first, resentAt: new Date(clock.ms).toISOString() };

    await deliver(again, fromRetryQueue(service));
    await deliver(again, fromRetryQueue(service));

    expect(service.client.post).toHaveBeenCalledTimes(2);
    expect(sent.map((message) => message.delivery.attempt)).toEqual([3, 3]);
  });

  test.each([2, 4, 6, 8, 9])(
    "does not mix runs: if resent while attempt %i waits, both runs end",
    async (waitsFor) => {
      const { service, register, run, sent, dead, record } = aService(responded(500));
      const endpointId = register().id;
      const waiting = aDelivery({
        endpointId,
        attempt: waitsFor,
        dueAt: new Date(NOW.getTime() + DAY / 3).toISOString(),
      });
      await service.log.record(waiting, {
        status: "pending",
        nextAttemptAt: waiting.dueAt,
        lastAttempt: { attempt: waitsFor - 1, at: NOW.toISOString(), durationMs: 1, statusCode: 500 },
      });
      sent.push({ delivery: waiting, lane: "retry", at: NOW.getTime() });

      await run({
        ...waiting,
        attempt: 1,
        dueAt: NOW.toISOString(),
        resentAt: new Date(NOW.getTime() + 1).toISOString(),
      });

      expect(record(waiting.eventId)).toMatchObject({ status: "failed" });
      expect(record(waiting.eventId)).not.toHaveProperty("nextAttemptAt");
      expect(dead.length).toBeGreaterThan(0);
      expect(service.client.post.mock.calls.length).toBeLessThanOrEqual(18);
    },
  );

  test("is none of an attempt that the record waits for, even if another run has made one of its number", async () => {
    const { service, register } = aService(responded(500));
    const resentAt = new Date(NOW.getTime() - MINUTE).toISOString();
    const delivery = aDelivery({ endpointId: register().id, attempt: 2, resentAt });
    await service.log.record(delivery, {
      status: "pending",
      nextAttemptAt: delivery.dueAt,
      lastAttempt: { attempt: 2, at: NOW.toISOString(), durationMs: 1, statusCode: 500 },
    });

    await deliver(delivery, fromRetryQueue(service));

    expect(service.client.post).toHaveBeenCalledOnce();
  });

  test("is checked only in the retry queue, so that a first attempt costs no read", async () => {
    const { service, register } = aService();

    await deliver(aDelivery({ endpointId: register().id }), service);

    expect(service.log.find).not.toHaveBeenCalled();
  });

  test("that cannot be checked because of a DynamoDB error returns to the queue", async () => {
    const { service, register } = aService();
    service.log.find.mockRejectedValueOnce(new Error("outage"));

    await expect(
      deliver(aDelivery({ endpointId: register().id }), fromRetryQueue(service)),
    ).rejects.toThrow();
    expect(service.client.post).not.toHaveBeenCalled();
  });
});
