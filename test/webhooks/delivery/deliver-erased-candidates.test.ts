import { describe, expect, test } from "vitest";
import type { WebhookEvent } from "#contract/events";
import { deliver } from "#webhooks/delivery/deliver";
import { capturedLogs } from "../../builders/captured-logs.ts";
import { aDelivery, NOW } from "../builders.ts";
import { ALIVE, aService, carrying, fromRetryQueue, responded } from "./delivery-service.ts";

const logs = capturedLogs();

describe("an event of a candidate erased in the meantime", () => {
  const erased = { isErased: true, firstSequence: 1 };
  const late = { occurredAt: new Date(NOW.getTime() - 60_001).toISOString() };

  test.each<[string, Partial<WebhookEvent>, { readonly attempt?: number; readonly resentAt?: string }]>([
    ["as a retry", {}, { attempt: 2 }],
    ["as a first attempt that is later than a minute", late, {}],
    ["when it was sent again or redriven", {}, { resentAt: NOW.toISOString() }],
  ])("is dropped %s, without an attempt or a dead letter", async (_when, event, overrides) => {
    const { service, register, sent, dead, record } = aService();
    service.lives.find.mockResolvedValue(erased);
    const delivery = aDelivery({ endpointId: register().id, ...carrying(event), ...overrides });

    await expect(deliver(delivery, service)).resolves.toEqual({
      status: "dropped",
      reason: "candidate_erased",
    });

    expect(service.lives.find).toHaveBeenCalledExactlyOnceWith("acme", `staged_${"0".repeat(26)}`);
    expect(service.client.post).not.toHaveBeenCalled();
    expect(service.signingSecrets.open).not.toHaveBeenCalled();
    expect([sent, dead]).toEqual([[], []]);
    expect(record(delivery.eventId)).toEqual({ status: "dropped", attempts: [], reason: "candidate_erased" });
    expect(logs.text()).toContain("candidate_erased");
    expect(logs.text()).not.toContain("ext-1");
  });

  test("is sent by a first attempt within a minute, without a read", async () => {
    const { service, register } = aService();
    service.lives.find.mockResolvedValue(erased);
    const event = { occurredAt: new Date(NOW.getTime() - 60_000).toISOString() };

    await deliver(aDelivery({ endpointId: register().id, ...carrying(event) }), service);

    expect(service.client.post).toHaveBeenCalledOnce();
    expect(service.lives.find).not.toHaveBeenCalled();
  });

  test("is sent until the erasure and not after it", async () => {
    const { service, register, run, record } = aService(responded(500));
    service.lives.find.mockResolvedValueOnce(ALIVE).mockResolvedValueOnce(ALIVE).mockResolvedValue(erased);
    const delivery = aDelivery({ endpointId: register().id });

    await run(delivery);

    expect(service.client.post).toHaveBeenCalledTimes(3);
    expect(record(delivery.eventId)).toMatchObject({ status: "dropped", reason: "candidate_erased" });
  });

  test("is dropped although the candidate was created again", async () => {
    const { service, register } = aService();
    service.lives.find.mockResolvedValue({ isErased: false, firstSequence: 4 });
    const attempt = (sequence: number) =>
      deliver(aDelivery({ endpointId: register().id, attempt: 2, ...carrying({ sequence }) }), service);

    await expect(attempt(3)).resolves.toMatchObject({ status: "dropped", reason: "candidate_erased" });
    await expect(attempt(4)).resolves.toMatchObject({ status: "delivered" });
  });

  test("keeps its recorded status if the message is a duplicate", async () => {
    const { service, register, record } = aService();
    const delivery = aDelivery({ endpointId: register().id, attempt: 2 });
    await deliver(delivery, fromRetryQueue(service));
    service.lives.find.mockResolvedValue(erased);

    await expect(deliver(delivery, fromRetryQueue(service))).resolves.toBeUndefined();

    expect(service.log.record).toHaveBeenCalledOnce();
    expect(record(delivery.eventId)).toMatchObject({ status: "delivered" });
  });

  test("is sent if it is candidate.erased itself", async () => {
    const { service, register } = aService();
    service.lives.find.mockResolvedValue(erased);
    const event = { type: "candidate.erased", sequence: 5 } as const;

    const outcome = await deliver(
      aDelivery({ endpointId: register().id, attempt: 2, ...carrying(event) }),
      service,
    );

    expect(outcome).toMatchObject({ status: "delivered" });
  });

  test.each([
    ["is not sent to a slow endpoint", true, "dropped"],
    ["may be sent by a first attempt soon after it", false, "delivered"],
  ])(
    "%s if it is candidate.erased itself, and the candidate was created again",
    async (_what, slow, status) => {
      const { service, register } = aService();
      service.lives.find.mockResolvedValue({ isErased: false, firstSequence: 6 });
      const { id: endpointId } = register(slow ? { slowSince: NOW.toISOString() } : {});
      const event = { type: "candidate.erased", sequence: 5 } as const;
      const delivery = aDelivery({ endpointId, ...carrying(event) });

      await expect(deliver(delivery, slow ? fromRetryQueue(service) : service)).resolves.toMatchObject({
        status,
      });

      expect(service.client.post).toHaveBeenCalledTimes(slow ? 0 : 1);
    },
  );

  test("returns to the queue if the candidate cannot be read", async () => {
    const { service, register, sent, dead } = aService();
    service.lives.find.mockRejectedValueOnce(new Error("outage"));
    const delivery = aDelivery({ endpointId: register().id, attempt: 2 });

    await expect(deliver(delivery, fromRetryQueue(service))).rejects.toThrow("outage");

    expect(service.client.post).not.toHaveBeenCalled();
    expect(service.log.record).not.toHaveBeenCalled();
    expect([sent, dead]).toEqual([[], []]);
  });
});
