import { describe, expect, test } from "vitest";
import { deliver } from "#webhooks/delivery/deliver";
import { withoutBody } from "#webhooks/delivery/delivery";
import { capturedLogs } from "../../builders/captured-logs.ts";
import { aDelivery, NOW } from "../builders.ts";
import { aService, DAY, failures, fromRetryQueue, responded, SECOND } from "./delivery-service.ts";

const logs = capturedLogs();
const lines = () => logs.lines().map((line) => JSON.parse(line) as Record<string, unknown>);

describe("410 Gone", () => {
  test("from an endpoint deleted in the meantime drops the delivery", async () => {
    const { service, register, remove } = aService(responded(410));
    const endpoint = register();
    service.health.deactivate.mockImplementationOnce(async ({ id }) => {
      remove(id);
      return false;
    });

    const outcome = await deliver(aDelivery({ endpointId: endpoint.id }), service);

    expect(outcome).toMatchObject({ status: "dropped" });
    expect(outcome).not.toHaveProperty("endpointSetInactive");
  });

  test("from an endpoint that another attempt set inactive keeps the delivery until its next attempt", async () => {
    const { service, register, sent } = aService(responded(410));
    const endpoint = register();
    service.health.deactivate.mockImplementationOnce(async () => {
      register({ id: endpoint.id, active: false });
      return false;
    });

    const outcome = await deliver(aDelivery({ endpointId: endpoint.id }), service);

    expect(outcome).toMatchObject({ status: "pending" });
    expect(sent).toMatchObject([{ delivery: { endpointId: endpoint.id, attempt: 2 } }]);
  });

  test.each([
    ["that another attempt set inactive drops the delivery", false, "dropped", 0],
    ["that has another URL since dead-letters the delivery", true, "failed", 1],
  ])("to the last attempt from an endpoint %s", async (_what, active, status, deadLetters) => {
    const { service, register, sent, dead } = aService(responded(410));
    const endpoint = register();
    service.health.deactivate.mockImplementationOnce(async () => {
      register({ id: endpoint.id, active });
      return false;
    });

    const outcome = await deliver(
      aDelivery({ endpointId: endpoint.id, attempt: 11 }),
      fromRetryQueue(service),
    );

    expect(outcome).toMatchObject({ status });
    expect(sent).toEqual([]);
    expect(dead).toHaveLength(deadLetters);
  });

  test("ends the attempts and sets the endpoint inactive", async () => {
    const { service, register, run, sent, dead, stored, logged } = aService(responded(410));
    const endpoint = register();

    await run(aDelivery({ endpointId: endpoint.id }));

    expect(stored(endpoint.id)?.active).toBe(false);
    expect(service.health.deactivate).toHaveBeenCalledExactlyOnceWith(endpoint, "gone", NOW.toISOString());
    expect(service.client.post).toHaveBeenCalledOnce();
    expect([sent, dead]).toEqual([[], []]);
    expect(logged()).toEqual(["dropped"]);
  });

  test.each([
    ["with this event", undefined, NOW.toISOString()],
    ["with its failures, if they began earlier", "2026-06-01T11:00:00.000Z", "2026-06-01T11:00:00.000Z"],
    ["with this event, if its failures began later", "2026-06-01T12:00:00.001Z", NOW.toISOString()],
  ])("means that the endpoint begins to miss events %s", async (_what, failingSince, missedSince) => {
    const { service, register } = aService(responded(410));
    const endpoint = register(failingSince === undefined ? {} : { failingSince });

    await deliver(aDelivery({ endpointId: endpoint.id }), fromRetryQueue(service));

    expect(service.health.deactivate).toHaveBeenCalledExactlyOnceWith(endpoint, "gone", missedSince);
  });

  test("from a URL since replaced drops nothing and is no failure of the new URL", async () => {
    const { service, register, sent, stored, logged } = aService(responded(410));
    const endpoint = register();
    // What an attempt found out says nothing of an endpoint that was changed since.
    service.health.deactivate.mockResolvedValueOnce(false);

    await deliver(aDelivery({ endpointId: endpoint.id }), service);

    expect(stored(endpoint.id)).toEqual(endpoint);
    expect(logged()).toEqual(["pending"]);
    expect(sent.map(({ delivery }) => delivery.attempt)).toEqual([2]);
  });
});

describe("a webhook endpoint that is", () => {
  test("inactive gets nothing, and its waiting deliveries are kept for their next attempt", async () => {
    const { service, register, sent, dead, logged } = aService();
    const delivery = aDelivery({ endpointId: register({ active: false }).id, attempt: 3 });

    const outcome = await deliver(delivery, fromRetryQueue(service));

    const nextAttemptAt = new Date(NOW.getTime() + 300 * SECOND).toISOString();
    expect(outcome).toEqual({ status: "pending", nextAttemptAt });
    expect(sent.map((each) => each.delivery)).toEqual([
      { ...withoutBody(delivery), attempt: 4, dueAt: nextAttemptAt },
    ]);
    expect(service.client.post).not.toHaveBeenCalled();
    expect(service.signingSecrets.open).not.toHaveBeenCalled();
    expect(dead).toEqual([]);
    expect(logged()).toEqual(["pending"]);
  });

  test("active again in time gets what waited for it", async () => {
    const { service, register, run, logged } = aService();
    const endpoint = register({ active: false });
    service.endpoints.find.mockResolvedValueOnce(endpoint).mockResolvedValueOnce(endpoint);
    service.endpoints.find.mockResolvedValue({ ...endpoint, active: true });

    await run(aDelivery({ endpointId: endpoint.id }));

    const posts = service.client.post.mock.calls;
    expect(posts.map(([, headers]) => headers["X-RR-Delivery-Attempt"])).toEqual(["3"]);
    expect(logged()).toEqual(["pending", "pending", "delivered"]);
  });

  test("inactive for longer than the schedule lasts gets nothing, and no dead letter is left", async () => {
    const { service, register, run, dead, logged } = aService();

    await run(aDelivery({ endpointId: register({ active: false }).id }));

    expect(service.client.post).not.toHaveBeenCalled();
    expect(dead).toEqual([]);
    expect(logged()).toEqual([...Array.from({ length: 10 }, () => "pending"), "dropped"]);
  });

  test("deleted between two attempts gets no further attempt", async () => {
    const { service, register, run, remove, dead, logged } = aService(responded(500));
    const endpoint = register();
    service.client.post.mockImplementationOnce(async () => {
      remove(endpoint.id);
      return responded(500);
    });

    await run(aDelivery({ endpointId: endpoint.id }));

    expect(service.client.post).toHaveBeenCalledOnce();
    expect(dead).toEqual([]);
    expect(logged()).toEqual(["pending", "dropped"]);
  });

  test("another organisation's gets no delivery", async () => {
    const { service, register } = aService();
    const endpoint = register({ orgId: "globex" });

    await deliver(aDelivery({ orgId: "acme", endpointId: endpoint.id }), service);

    expect(service.client.post).not.toHaveBeenCalled();
  });
});

describe("a webhook endpoint that fails every attempt", () => {
  const failingFor = (ms: number) => new Date(NOW.getTime() - ms).toISOString();
  /** Enough failures on enough days. */
  const FAILURES = failures(4, 0, 2, 4);

  test("is recorded as failing since its first failure", async () => {
    const { register, run, stored } = aService(responded(500));
    const endpoint = register();

    await run(aDelivery({ endpointId: endpoint.id }));

    expect(stored(endpoint.id)).toMatchObject({ active: true, failingSince: NOW.toISOString() });
  });

  test("for less than five days gets further attempts", async () => {
    const { service, register, sent, stored } = aService(responded(500));
    const endpoint = register({ ...FAILURES, failingSince: failingFor(5 * DAY - 1) });

    await deliver(aDelivery({ endpointId: endpoint.id }), fromRetryQueue(service));

    expect(stored(endpoint.id)?.active).toBe(true);
    expect(sent).toHaveLength(1);
  });

  test.each([5 * DAY, 5 * DAY + 1, 30 * DAY])(
    "for %i ms becomes inactive, and nothing more is sent to it",
    async (ms) => {
      const { service, register, run, sent, stored } = aService(responded(500));
      const endpoint = register({ ...FAILURES, failingSince: failingFor(ms) });

      await run(aDelivery({ endpointId: endpoint.id }));
      await run(aDelivery({ endpointId: endpoint.id }));

      expect(stored(endpoint.id)?.active).toBe(false);
      expect(sent).toEqual([]);
      expect(service.client.post).toHaveBeenCalledOnce();
    },
  );

  test("and then gets no events is not set inactive by one more failure", async () => {
    const { service, register, sent, dead, stored } = aService(responded(502));
    const endpoint = register({ ...failures(9, 6), ...failures(1, 0), failingSince: failingFor(6 * DAY) });

    await deliver(aDelivery({ endpointId: endpoint.id }), fromRetryQueue(service));

    expect(stored(endpoint.id)?.active).toBe(true);
    expect(dead).toEqual([]);
    expect(sent.map(({ delivery }) => delivery.attempt)).toEqual([2]);
  });

  test("is set inactive only while the failures continue, and its delivery is dead-lettered", async () => {
    const { service, register, dead } = aService(responded(500));
    const failingSince = failingFor(6 * DAY);
    const endpoint = register({ ...FAILURES, failingSince });
    const delivery = aDelivery({ endpointId: endpoint.id });

    const outcome = await deliver(delivery, fromRetryQueue(service));

    expect(service.health.deactivate).toHaveBeenCalledExactlyOnceWith(endpoint, "failing", failingSince);
    expect(outcome).toMatchObject({ status: "failed", endpointSetInactive: true });
    expect(dead).toEqual([{ ...withoutBody(delivery), dueAt: NOW.toISOString() }]);
    expect(lines().filter(({ level }) => level === "WARN")).toMatchObject([
      { message: "endpoint set inactive", endpointId: endpoint.id, orgId: "acme" },
    ]);
  });

  test.each([
    ["an attempt succeeded", { failingSince: undefined }],
    ["it was activated", { failingSince: undefined, updatedAt: NOW.toISOString() }],
    ["it was changed otherwise", { updatedAt: NOW.toISOString() }],
    ["a new series of failures began", { failingSince: failingFor(SECOND) }],
  ])("but meanwhile %s stays active, and its delivery gets its next attempt", async (_what, changes) => {
    const { service, register, sent, dead, stored } = aService(responded(500));
    const endpoint = register({ ...FAILURES, failingSince: failingFor(6 * DAY) });
    service.endpoints.find.mockResolvedValueOnce(endpoint).mockResolvedValueOnce({ ...endpoint, ...changes });

    await deliver(aDelivery({ endpointId: endpoint.id }), fromRetryQueue(service));

    expect(stored(endpoint.id)?.active).toBe(true);
    expect(dead).toEqual([]);
    expect(sent.map(({ delivery }) => delivery.attempt)).toEqual([2]);
  });

  test("and is set inactive by another attempt keeps what waits, and fires no second notice", async () => {
    const { service, register, sent, dead } = aService(responded(500));
    const endpoint = register({ ...FAILURES, failingSince: failingFor(6 * DAY) });
    service.endpoints.find
      .mockResolvedValueOnce(endpoint)
      .mockResolvedValueOnce({ ...endpoint, active: false });

    await deliver(aDelivery({ endpointId: endpoint.id }), fromRetryQueue(service));

    expect(service.health.deactivate).not.toHaveBeenCalled();
    expect(dead).toEqual([]);
    expect(sent.map(({ delivery }) => delivery.attempt)).toEqual([2]);
  });

  test("and is changed during a 410 is not set inactive, and its delivery gets its next attempt", async () => {
    const { service, register, sent, dead, stored } = aService(responded(410));
    const endpoint = register({ ...FAILURES, failingSince: failingFor(6 * DAY) });
    service.health.deactivate.mockResolvedValueOnce(false);

    await deliver(aDelivery({ endpointId: endpoint.id }), fromRetryQueue(service));

    expect(service.health.deactivate).toHaveBeenCalledOnce();
    expect(stored(endpoint.id)?.active).toBe(true);
    expect(dead).toEqual([]);
    expect(sent.map(({ delivery }) => delivery.attempt)).toEqual([2]);
  });

  test("and is set inactive during the last attempt leaves a dead letter", async () => {
    const { service, register, dead, logged } = aService(responded(500));
    const endpoint = register({ ...FAILURES, failingSince: failingFor(6 * DAY) });
    service.endpoints.find
      .mockResolvedValueOnce(endpoint)
      .mockResolvedValueOnce({ ...endpoint, active: false });
    const delivery = aDelivery({ endpointId: endpoint.id, attempt: 11 });

    await deliver(delivery, fromRetryQueue(service));

    expect(dead).toEqual([{ ...withoutBody(delivery), dueAt: NOW.toISOString() }]);
    expect(logged()).toEqual(["failed"]);
  });

  test("and is deleted meanwhile gets no further attempt", async () => {
    const { service, register, sent, dead, logged } = aService(responded(500));
    const endpoint = register({ ...FAILURES, failingSince: failingFor(6 * DAY) });
    service.endpoints.find.mockResolvedValueOnce(endpoint).mockResolvedValueOnce(undefined);

    await deliver(aDelivery({ endpointId: endpoint.id }), fromRetryQueue(service));

    expect([sent, dead]).toEqual([[], []]);
    expect(logged()).toEqual(["dropped"]);
  });

  test.each([false, undefined])(
    "and changes while it is set inactive leaves the dead letter alone (active: %s)",
    async (active) => {
      const { service, register, remove, sent, dead } = aService(responded(500));
      const endpoint = register({ ...FAILURES, failingSince: failingFor(6 * DAY) });
      service.health.deactivate.mockImplementationOnce(async ({ id }) => {
        if (active === undefined) remove(id);
        else register({ id, active });
        return false;
      });

      const outcome = await deliver(aDelivery({ endpointId: endpoint.id }), fromRetryQueue(service));

      expect(outcome).toMatchObject({ status: "failed", endpointSetInactive: false });
      expect(sent).toEqual([]);
      expect(dead).toHaveLength(1);
    },
  );

  test("and is not set inactive causes no log line that says so", async () => {
    const { service, register } = aService(responded(500));

    await deliver(aDelivery({ endpointId: register().id }), service);

    expect(lines()).toMatchObject([{ level: "INFO", message: "delivery", outcome: "pending" }]);
  });

  test.each([429, 503])("does not count a %i with Retry-After as a failure", async (statusCode) => {
    const { service, register, sent, stored } = aService(responded(statusCode, 60 * SECOND));
    const endpoint = register({ ...FAILURES, failingSince: failingFor(6 * DAY) });
    const healthy = register();

    await deliver(aDelivery({ endpointId: endpoint.id }), fromRetryQueue(service));
    await deliver(aDelivery({ endpointId: healthy.id }), service);

    expect(service.health.failed).not.toHaveBeenCalled();
    expect(service.health.askedToWait.mock.calls).toEqual([[endpoint], [healthy]]);
    expect(stored(endpoint.id)?.active).toBe(true);
    expect(stored(healthy.id)).toEqual(healthy);
    expect(sent).toHaveLength(2);
  });

  test.each([
    [429, undefined],
    [503, undefined],
    [500, 60 * SECOND],
  ])("counts a %i with a Retry-After of %s ms as a failure", async (statusCode, retryAfter) => {
    const { service, register } = aService(responded(statusCode, retryAfter));

    await deliver(aDelivery({ endpointId: register().id }), service);

    expect(service.health.failed).toHaveBeenCalledOnce();
    expect(service.health.askedToWait).not.toHaveBeenCalled();
  });

  test("is attempted again after its wait if its request to wait cannot be recorded", async () => {
    const { service, register, sent } = aService(responded(503, 60 * SECOND));
    service.health.askedToWait.mockRejectedValue(new Error("throttled"));

    await deliver(aDelivery({ endpointId: register().id }), service);

    expect(sent.map(({ delivery }) => delivery.attempt)).toEqual([2]);
  });

  test("is attempted again as scheduled if the failure cannot be recorded", async () => {
    const { service, register, sent } = aService(responded(500));
    service.health.failed.mockRejectedValue(new Error("throttled"));
    const endpoint = register();

    const outcome = await deliver(aDelivery({ endpointId: endpoint.id }), service);

    expect(outcome).toMatchObject({ status: "pending", lastAttempt: { attempt: 1, statusCode: 500 } });
    expect(sent.map(({ delivery }) => delivery.attempt)).toEqual([2]);
    expect(lines()).toContainEqual(
      expect.objectContaining({
        level: "ERROR",
        message: "failure not recorded",
        orgId: endpoint.orgId,
        endpointId: endpoint.id,
      }),
    );
  });

  test("starts counting anew after a success", async () => {
    const { service, register, stored } = aService((attempt) => responded(attempt === 1 ? 200 : 500));
    const endpoint = register({ failingSince: failingFor(6 * DAY) });

    await deliver(aDelivery({ endpointId: endpoint.id }), fromRetryQueue(service));
    expect(stored(endpoint.id)).not.toHaveProperty("failingSince");

    await deliver(aDelivery({ endpointId: endpoint.id, attempt: 2 }), service);
    expect(stored(endpoint.id)).toMatchObject({ active: true, failingSince: NOW.toISOString() });
  });
});

describe("a failing webhook endpoint", () => {
  test("has its deliveries move to the side queue, where they delay no other endpoint", async () => {
    const { service, register, sent } = aService();
    const delivery = aDelivery({ endpointId: register({ failingSince: NOW.toISOString() }).id });

    const outcome = await deliver(delivery, service);

    expect(outcome).toEqual({ status: "pending", nextAttemptAt: delivery.dueAt });
    expect(sent).toMatchObject([{ lane: "side", delivery: withoutBody(delivery) }]);
    expect(service.client.post).not.toHaveBeenCalled();
    expect(service.log.record).not.toHaveBeenCalled();
  });

  test("is attempted from the side queue, and returns to the first queue after a success", async () => {
    const { service, register, sent, stored } = aService();
    const endpoint = register({ failingSince: NOW.toISOString() });

    await deliver(aDelivery({ endpointId: endpoint.id }), { ...service, lane: "side" });
    await deliver(aDelivery({ endpointId: endpoint.id }), service);

    expect(service.client.post).toHaveBeenCalledTimes(2);
    expect(sent).toEqual([]);
    expect(stored(endpoint.id)).not.toHaveProperty("failingSince");
  });
});
