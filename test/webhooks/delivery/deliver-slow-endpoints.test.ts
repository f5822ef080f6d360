import { describe, expect, test } from "vitest";
import { deliver } from "#webhooks/delivery/deliver";
import { type Delivery, withoutBody } from "#webhooks/delivery/delivery";
import type { AttemptResult } from "#webhooks/delivery/webhook-client";
import type { Pace } from "#webhooks/endpoints/pace";
import { capturedLogs } from "../../builders/captured-logs.ts";
import { aDelivery, NOW } from "../builders.ts";
import { aService, fromRetryQueue } from "./delivery-service.ts";

const logs = capturedLogs();
const lines = () => logs.lines().map((line) => JSON.parse(line) as Record<string, unknown>);

describe("a slow webhook endpoint", () => {
  const SLOW: AttemptResult = { durationMs: 2_000, failure: "timeout" };

  test("has its attempt cut after two seconds, and made again from the retry queue", async () => {
    const { service, register, sent, dead, stored } = aService(SLOW);
    const endpoint = register();
    const delivery = aDelivery({ endpointId: endpoint.id });

    const outcome = await deliver(delivery, service);

    const options = service.client.post.mock.calls[0]?.[3];
    expect(options).toMatchObject({ timeout: 2_000, late: { after: 1_000 } });
    expect(outcome).toEqual({ status: "pending", nextAttemptAt: delivery.dueAt, attemptCut: true });
    // The same attempt, id and bytes; and no failure of the endpoint.
    expect(sent.map((message) => message.delivery)).toEqual([withoutBody(delivery)]);
    expect(dead).toEqual([]);
    expect(service.log.record).not.toHaveBeenCalled();
    expect(service.health.failed).not.toHaveBeenCalled();
    expect(stored(endpoint.id)).toEqual({ ...endpoint, probationSince: NOW.toISOString() });
    const { eventId } = delivery;
    expect(lines()).toMatchObject([{ message: "attempt cut", eventId, attempt: 1, durationMs: 2_000 }]);
  });

  test.each<Pace>([
    { suspectedSince: NOW.toISOString() },
    { probationSince: NOW.toISOString(), fastResponses: 3 },
  ])("has its attempt cut after two seconds in the side queue too, and is then slow: %o", async (pace) => {
    const { service, register, sent, stored } = aService(SLOW);
    const { id } = register();
    const endpoint = register({ id, ...pace });
    const delivery = aDelivery({ endpointId: endpoint.id });

    const outcome = await deliver(delivery, { ...service, lane: "side" });

    // That it is suspected is known.
    expect(service.client.post.mock.calls[0]?.[3]).toEqual({ timeout: 2_000 });
    expect(outcome).toEqual({ status: "pending", nextAttemptAt: delivery.dueAt, attemptCut: true });
    expect(sent.map((message) => message.delivery)).toEqual([withoutBody(delivery)]);
    expect(stored(endpoint.id)).toEqual({ ...stored(id), slowSince: NOW.toISOString() });
  });

  test.each<[string, Pick<Delivery, "sample" | "resentAt">]>([
    ["a sample", { sample: true }],
    ["a resend", { resentAt: NOW.toISOString() }],
  ])("has %s that was cut in the side queue made again as it was", async (_what, kind) => {
    const { service, register, sent } = aService(SLOW);
    const delivery = aDelivery({ endpointId: register().id, ...kind });

    await deliver(delivery, { ...service, lane: "side" });

    expect(sent.map((message) => message.delivery)).toEqual([withoutBody(delivery)]);
    const { eventId, attempt } = delivery;
    expect(sent[0]?.delivery).toMatchObject({ eventId, attempt, ...kind });
  });

  test("is suspected by a sample that it does not respond to", async () => {
    const { service, register } = aService();

    await deliver(aDelivery({ endpointId: register().id, sample: true }), { ...service, lane: "side" });

    expect(service.client.post.mock.calls[0]?.[3]).toMatchObject({ late: { after: 1_000 } });
  });

  test("has its deliveries moved to the side queue while it is only suspected", async () => {
    const { service, register } = aService();
    const delivery = aDelivery({ endpointId: register({ suspectedSince: NOW.toISOString() }).id });

    const outcome = await deliver(delivery, service);

    expect(outcome).toEqual({ status: "pending", nextAttemptAt: delivery.dueAt });
    expect(service.retries.send).toHaveBeenCalledExactlyOnceWith(withoutBody(delivery), "side");
    expect(service.client.post).not.toHaveBeenCalled();
  });

  test("has its attempts made from the side queue while it is unproven, and is slow if one is cut", async () => {
    const { service, register, sent, stored } = aService(SLOW);
    const { id } = register({ unprovenSince: NOW.toISOString() });
    const delivery = aDelivery({ endpointId: id });

    await deliver(delivery, service);
    expect(service.retries.send).toHaveBeenCalledExactlyOnceWith(withoutBody(delivery), "side");
    const outcome = await deliver(delivery, { ...service, lane: "side" });

    expect(service.client.post.mock.calls.map(([, , , options]) => options)).toEqual([{ timeout: 2_000 }]);
    expect(outcome).toMatchObject({ status: "pending", attemptCut: true });
    expect(sent.map((message) => [message.delivery, message.lane])).toEqual([
      [withoutBody(delivery), "side"],
      [withoutBody(delivery), "retry"],
    ]);
    expect(stored(id)).toMatchObject({ slowSince: NOW.toISOString() });
  });

  test.each([
    ["in the side queue, if it is late", "side", 1_000, 500, 1],
    ["in the side queue, if it is late and asks to wait", "side", 1_000, 503, 1],
    ["only if it is late", "side", 999, 500, 0],
    ["only if it is a failure", "side", 1_000, 204, 0],
    ["only in the side queue", "delivery", 1_000, 500, 0],
    ["only in the side queue, not in the retry queue", "retry", 1_000, 500, 0],
  ] as const)("is noticed by a failure %s", async (_when, lane, durationMs, statusCode, noticed) => {
    const { service, register } = aService({ durationMs, statusCode, retryAfter: 60_000 });

    await deliver(aDelivery({ endpointId: register().id }), { ...service, lane });

    expect(service.health.failedLate).toHaveBeenCalledTimes(noticed);
  });

  test("has its failed attempt repeated even if the table fails to record that it was late", async () => {
    const { service, register, sent } = aService({ durationMs: 1_000, statusCode: 500 });
    service.health.failedLate.mockRejectedValueOnce(new Error("outage"));

    await deliver(aDelivery({ endpointId: register().id }), { ...service, lane: "side" });

    expect(sent).toHaveLength(1);
    expect(lines()).toContainEqual(
      expect.objectContaining({ level: "ERROR", message: "late failure not recorded", orgId: "acme" }),
    );
  });

  test("has ten seconds for an attempt from the retry queue", async () => {
    const { service, register, logged } = aService({ durationMs: 9_900, statusCode: 200 });
    const delivery = aDelivery({ endpointId: register().id });

    await deliver(delivery, fromRetryQueue(service));

    expect(service.client.post.mock.calls[0]?.[3]).toEqual({ timeout: 10_000 });
    expect(logged()).toEqual(["delivered"]);
  });

  test.each<[string, AttemptResult, object]>([
    ["and on probation, if it never responds", SLOW, { probationSince: NOW.toISOString() }],
    [
      "only, if it responds a little later",
      { durationMs: 1_900, statusCode: 200 },
      { suspectedSince: NOW.toISOString() },
    ],
  ])("is suspected after one second, %s", async (_what, result, pace) => {
    const { service, register, stored } = aService(result);
    const endpoint = register();
    let knownAt: string | undefined;
    service.client.post.mockImplementationOnce(async (_url, _headers, _body, { late }) => {
      late?.report();
      await Promise.resolve();
      knownAt = stored(endpoint.id)?.suspectedSince;
      return result;
    });

    await deliver(aDelivery({ endpointId: endpoint.id }), service);

    expect(knownAt).toBe(NOW.toISOString());
    expect(stored(endpoint.id)).toEqual({ ...endpoint, ...pace });
  });

  test("has its deliveries moved to the retry queue without an attempt", async () => {
    const { service, register, sent } = aService();
    const delivery = aDelivery({ endpointId: register({ slowSince: NOW.toISOString() }).id });

    await deliver(delivery, service);

    expect(sent.map((message) => message.delivery)).toEqual([withoutBody(delivery)]);
    expect(service.client.post).not.toHaveBeenCalled();
  });

  test("stays slow after its first success from the retry queue", async () => {
    const { service, register, sent, stored } = aService();
    const endpoint = register({ slowSince: NOW.toISOString(), failingSince: NOW.toISOString() });

    await deliver(aDelivery({ endpointId: endpoint.id }), fromRetryQueue(service));
    await deliver(aDelivery({ endpointId: endpoint.id }), service);

    expect(sent).toHaveLength(1);
    expect(stored(endpoint.id)).toMatchObject({ slowSince: NOW.toISOString(), fastResponses: 1 });
  });

  test("is retried on schedule if its connection fails", async () => {
    const { service, register, sent, logged } = aService({ durationMs: 20, failure: "connection_failed" });

    await deliver(aDelivery({ endpointId: register().id }), service);

    expect(sent.map((message) => message.delivery.attempt)).toEqual([2]);
    expect(logged()).toEqual(["pending"]);
  });

  test.each(["suspected", "cut"] as const)(
    "is recorded as %s before the delivery ends, because Lambda freezes the function then",
    async (mark) => {
      const { service, register } = aService(SLOW);
      const recorded = Promise.withResolvers<void>();
      service.health[mark].mockReturnValueOnce(recorded.promise);
      service.client.post.mockImplementationOnce(async (_url, _headers, _body, { late }) => {
        late?.report();
        return SLOW;
      });
      let hasEnded = false;

      const delivering = deliver(aDelivery({ endpointId: register().id }), service).then(() => {
        hasEnded = true;
      });
      await new Promise(setImmediate);
      expect(hasEnded).toBe(false);
      recorded.resolve();
      await delivering;
    },
  );

  test("has its attempt moved to the retry queue even if the table fails to record that it is slow", async () => {
    const { service, register, sent } = aService();
    const delivery = aDelivery({ endpointId: register().id });
    service.health.suspected.mockRejectedValueOnce(new Error("outage"));
    service.health.cut.mockRejectedValueOnce(new Error("outage"));
    service.client.post.mockImplementationOnce(async (_url, _headers, _body, { late }) => {
      late?.report();
      return SLOW;
    });

    await deliver(delivery, service);

    expect(sent.map((message) => message.delivery)).toEqual([withoutBody(delivery)]);
    expect(lines().flatMap(({ level, message }) => (level === "ERROR" ? [message] : []))).toEqual([
      "suspicion not recorded",
      "cut not recorded",
    ]);
  });

  test("has its message received again if the retry queue fails", async () => {
    const { service, register } = aService(SLOW);
    service.retries.send.mockRejectedValueOnce(new Error("outage"));

    await expect(deliver(aDelivery({ endpointId: register().id }), service)).rejects.toThrow("outage");
  });
});
