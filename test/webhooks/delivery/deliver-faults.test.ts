import { setImmediate } from "node:timers/promises";
import { describe, expect, test, vi } from "vitest";
import { deadLetter, deliver } from "#webhooks/delivery/deliver";
import { withoutBody } from "#webhooks/delivery/delivery";
import { capturedLogs } from "../../builders/captured-logs.ts";
import { aDelivery, NOW } from "../builders.ts";
import { aService, DAY, failures, fromRetryQueue, responded, SECOND } from "./delivery-service.ts";

const logs = capturedLogs();
const lines = () => logs.lines().map((line) => JSON.parse(line) as Record<string, unknown>);

describe("a delivery that internal errors requeue too often", () => {
  test("is recorded as failed, then dead-lettered without an attempt", async () => {
    const { service, register, dead } = aService();
    const delivery = aDelivery({ endpointId: register().id, attempt: 3 });

    await expect(deadLetter(delivery, service)).resolves.toEqual({ status: "failed" });

    expect(service.log.record).toHaveBeenCalledExactlyOnceWith(delivery, { status: "failed" });
    expect(dead).toEqual([{ ...withoutBody(delivery), dueAt: NOW.toISOString() }]);
    expect(service.client.post).not.toHaveBeenCalled();
    expect(logs.text()).toContain("delivery dead-lettered");
    const [recorded = 0] = service.log.record.mock.invocationCallOrder;
    expect(recorded).toBeLessThan(service.deadLetters.send.mock.invocationCallOrder[0] ?? 0);
  });

  test("is requeued if it cannot be recorded, so that no dead letter is pending", async () => {
    const { service, register, dead } = aService();
    service.log.record.mockRejectedValueOnce(new Error("outage"));

    await expect(deadLetter(aDelivery({ endpointId: register().id }), service)).rejects.toThrow("outage");
    expect(dead).toEqual([]);
  });

  test("is dropped if it is a duplicate of a successful one", async () => {
    const { service, register, dead, logged } = aService();
    const delivery = aDelivery({ endpointId: register().id, attempt: 2 });
    await deliver(delivery, fromRetryQueue(service));

    await expect(deadLetter({ ...delivery, attempt: 3 }, service)).resolves.toBeUndefined();

    expect(dead).toEqual([]);
    expect(logged()).toEqual(["delivered"]);
  });
});

describe("an internal error during a delivery", () => {
  const outage = new Error("outage");

  test("leaves no read behind, which a delivery after the next thaw would share", async () => {
    const { service, register } = aService();
    const endpoint = register();
    const reading = Promise.withResolvers<typeof endpoint>();
    service.endpoints.find.mockReturnValueOnce(reading.promise);
    service.lives.find.mockRejectedValueOnce(outage);
    const ended = vi.fn();

    const delivered = deliver(aDelivery({ endpointId: endpoint.id }), fromRetryQueue(service));
    delivered.catch(ended);

    await setImmediate();
    expect(ended).not.toHaveBeenCalled();
    reading.resolve(endpoint);
    await expect(delivered).rejects.toThrow(outage);
  });

  test.each([
    ["the table, before the attempt", "endpoints", "find", 0],
    ["the keyring", "signingSecrets", "open", 0],
    ["the queue, when the next attempt is sent", "retries", "send", 1],
  ] as const)(
    "of %s returns the message to the queue without an attempt",
    async (_what, part, method, posts) => {
      const { service, register, sent, dead } = aService(responded(500));
      const delivery = aDelivery({ endpointId: register().id });
      const broken = vi.mocked(service[part][method as keyof (typeof service)[typeof part]] as () => unknown);
      broken.mockRejectedValueOnce(outage);

      await expect(deliver(delivery, fromRetryQueue(service))).rejects.toThrow(outage);

      expect([sent, dead]).toEqual([[], []]);
      expect(service.log.record).not.toHaveBeenCalled();
      expect(service.client.post).toHaveBeenCalledTimes(posts);

      // It comes back, and the chain goes on where it was.
      await deliver(delivery, fromRetryQueue(service));
      expect(sent.map((message) => message.delivery.attempt)).toEqual([2]);
    },
  );

  test("of the queue that should delay an early message returns it to its queue", async () => {
    const { service, register } = aService();
    service.retries.send.mockRejectedValueOnce(outage);
    const dueAt = new Date(NOW.getTime() + SECOND).toISOString();

    await expect(deliver(aDelivery({ endpointId: register().id, dueAt }), service)).rejects.toThrow(outage);
  });

  test("of the dead-letter queue returns the last attempt's message, so that it is not lost", async () => {
    const { service, register, dead } = aService(responded(500));
    const delivery = aDelivery({ endpointId: register().id, attempt: 11 });
    service.deadLetters.send.mockRejectedValueOnce(outage);

    await expect(deliver(delivery, fromRetryQueue(service))).rejects.toThrow(outage);
    await deliver(delivery, fromRetryQueue(service));

    expect(dead).toHaveLength(1);
  });

  test("in which an endpoint is repaired before it would be set inactive goes on with the retries", async () => {
    const { service, register, sent, logged } = aService(responded(500));
    const failingSince = new Date(NOW.getTime() - 6 * DAY).toISOString();
    const delivery = aDelivery({ endpointId: register({ ...failures(4, 0, 1, 2), failingSince }).id });
    service.health.deactivate.mockResolvedValueOnce(false);

    await deliver(delivery, fromRetryQueue(service));

    expect(sent).toHaveLength(1);
    expect(logged()).toEqual(["pending"]);
  });

  test("of the dead-letter queue does not lose the delivery that deactivates its endpoint", async () => {
    const { service, register, dead } = aService(responded(500));
    const failingSince = new Date(NOW.getTime() - 6 * DAY).toISOString();
    const delivery = aDelivery({ endpointId: register({ ...failures(4, 0, 1, 2), failingSince }).id });
    service.deadLetters.send.mockRejectedValueOnce(outage);

    await expect(deliver(delivery, fromRetryQueue(service))).rejects.toThrow(outage);
    await deliver(delivery, fromRetryQueue(service));

    expect(dead).toHaveLength(1);
  });

  test("of DynamoDB while a 410 deactivates an endpoint returns the message to the queue", async () => {
    const { service, register, stored } = aService(responded(410));
    const endpoint = register();
    const delivery = aDelivery({ endpointId: endpoint.id });
    service.health.deactivate.mockRejectedValueOnce(outage);

    await expect(deliver(delivery, fromRetryQueue(service))).rejects.toThrow(outage);
    await deliver(delivery, fromRetryQueue(service));

    expect(stored(endpoint.id)?.active).toBe(false);
  });

  test("of DynamoDB while a success is recorded repeats nothing", async () => {
    const { service, register, sent, dead, logged } = aService();
    service.health.succeeded.mockRejectedValueOnce(outage);

    await deliver(aDelivery({ endpointId: register().id }), service);

    expect([sent, dead]).toEqual([[], []]);
    expect(logged()).toEqual(["delivered"]);
    expect(lines()).toContainEqual(
      expect.objectContaining({
        message: "success not recorded",
        endpointId: expect.stringMatching(/^whe_/),
        cause: expect.objectContaining({ message: "outage" }),
      }),
    );
  });

  test.each([
    ["delivered", responded(200), 0],
    ["to be tried again", responded(500), 1],
    ["given up", responded(410), 0],
  ] as const)(
    "of the delivery log starts no second chain of attempts if it is %s",
    async (_what, result, next) => {
      const { service, register, sent } = aService(result);
      service.log.record.mockRejectedValue(outage);

      await deliver(aDelivery({ endpointId: register().id }), service);

      expect(service.client.post).toHaveBeenCalledOnce();
      expect(sent).toHaveLength(next);
    },
  );

  test("of the delivery log does not return a dropped delivery to the queue", async () => {
    const { service } = aService();
    service.log.record.mockRejectedValue(outage);

    await expect(deliver(aDelivery(), service)).resolves.toEqual({ status: "dropped" });
  });
});
