import fc from "fast-check";
import { afterEach, describe, expect, onTestFinished, test, vi } from "vitest";
import type { Life } from "#candidates/outbox/candidate-lives";
import type { WebhookEvent } from "#contract/events";
import { deadLetter, deliver } from "#webhooks/delivery/deliver";
import { type Delivery, withoutBody } from "#webhooks/delivery/delivery";
import type { DeliveryRecord } from "#webhooks/delivery/delivery-log";
import type { DeliveryService } from "#webhooks/delivery/delivery-service";
import {
  type AttemptResult,
  guardedAgent,
  type Patience,
  WebhookClient,
} from "#webhooks/delivery/webhook-client";
import { AllowedNetworks } from "#webhooks/endpoints/delivery-address";
import type { DeliveryEndpoint } from "#webhooks/endpoints/delivery-endpoint";
import { failureCounterOf } from "#webhooks/endpoints/endpoint-health";
import type { Lane, LaterLane } from "#webhooks/endpoints/lane";
import { PACE_ATTRIBUTES, type Pace, paceAfter, paceAfterCut } from "#webhooks/endpoints/pace";
import { signatureOf } from "#webhooks/endpoints/signature";
import { capturedLogs } from "../../builders/captured-logs.ts";
import {
  aDelivery,
  anEndpoint,
  anEndpointEvent,
  anEvent,
  EXTERNAL_ID,
  NOW,
  SLOWEST_DELIVERY_MS,
} from "../builders.ts";
import { aReceiver, closeReceivers } from "../receivers.ts";

type LoggedDelivery = NonNullable<Awaited<ReturnType<DeliveryService["log"]["find"]>>>;

const SECOND = 1_000;
const MINUTE = 60 * SECOND;
const DAY = 24 * 3_600 * SECOND;
const SECRET = "whsec_secret";
/** The candidate of every event, with what a waiting message does not hold. */
const ALIVE: Life = { isErased: false, firstSequence: 1, externalId: EXTERNAL_ID };

/** An endpoint after a write of its pace, which replaces all that it consists of. */
function withPace(endpoint: DeliveryEndpoint, pace: Pace | undefined): DeliveryEndpoint {
  if (pace === undefined) return endpoint;
  const others = Object.entries(endpoint).filter(([name]) => !(PACE_ATTRIBUTES as string[]).includes(name));
  return { ...(Object.fromEntries(others) as unknown as DeliveryEndpoint), ...pace };
}

/** The things that delivery stands on, each a small memory that can be told to fail. */
function aService(result: AttemptResult | ((attempt: number) => AttemptResult) = responded(204)) {
  const sent: { delivery: Delivery; lane: LaterLane; at: number }[] = [];
  const dead: Delivery[] = [];
  const endpoints = new Map<string, DeliveryEndpoint>();
  const records = new Map<string, Pick<DeliveryRecord, "status" | "attempts" | "nextAttemptAt" | "reason">>();
  const clock = { ms: NOW.getTime() };
  const now = () => new Date(clock.ms);
  const change = (id: string, changes: Partial<DeliveryEndpoint>) => {
    const endpoint = endpoints.get(id);
    if (endpoint) endpoints.set(id, { ...endpoint, ...changes });
    return endpoints.get(id);
  };
  const service = {
    lane: "delivery" as Lane,
    schedule: "standard" as const,
    lives: {
      find: vi.fn<DeliveryService["lives"]["find"]>(async () => ALIVE),
    },
    endpoints: {
      find: vi.fn(async (orgId: string, id: string) => {
        const endpoint = endpoints.get(id);
        return endpoint?.orgId === orgId ? endpoint : undefined;
      }),
    },
    health: {
      succeeded: vi.fn(async ({ id }: DeliveryEndpoint, durationMs: number) => {
        const endpoint = endpoints.get(id);
        if (!endpoint) return;
        const { failingSince, ...recovered } = endpoint;
        endpoints.set(id, withPace(recovered, paceAfter(endpoint, durationMs, now())));
      }),
      suspected: vi.fn(async ({ id }: DeliveryEndpoint) => {
        change(id, { suspectedSince: now().toISOString() });
      }),
      cut: vi.fn(async ({ id }: DeliveryEndpoint, lane: Exclude<Lane, "retry">) => {
        const endpoint = endpoints.get(id);
        if (endpoint) endpoints.set(id, withPace(endpoint, paceAfterCut(lane, now())));
      }),
      failedLate: vi.fn(async (_endpoint: DeliveryEndpoint) => {}),
      failed: vi.fn(async ({ id }: DeliveryEndpoint) => {
        const failingSince = endpoints.get(id)?.failingSince ?? now().toISOString();
        return change(id, { failingSince });
      }),
      deactivate: vi.fn(async ({ id }: DeliveryEndpoint) => change(id, { active: false }) !== undefined),
    },
    signingSecrets: { open: vi.fn(async () => SECRET) },
    retries: {
      send: vi.fn(
        async (delivery: Delivery, lane: LaterLane) => void sent.push({ delivery, lane, at: clock.ms }),
      ),
    },
    deadLetters: { send: vi.fn(async (delivery: Delivery) => void dead.push(delivery)) },
    log: {
      find: vi.fn<DeliveryService["log"]["find"]>(async (_endpointId, eventId) => {
        const record = records.get(eventId);
        return record && ({ record, event: {} } as LoggedDelivery);
      }),
      // By the rules of DeliveryLog.
      record: vi.fn<DeliveryService["log"]["record"]>(
        async ({ eventId, resentAt }, { status, nextAttemptAt, lastAttempt, reason }) => {
          const before = records.get(eventId);
          const attempts = [...(before?.attempts ?? []), ...(lastAttempt ? [lastAttempt] : [])];
          const ended = resentAt ? ["delivered"] : ["delivered", "failed", "dropped"];
          const stays = before && status !== "delivered" && ended.includes(before.status);
          records.set(
            eventId,
            stays
              ? { ...before, attempts }
              : { status, attempts, ...(nextAttemptAt && { nextAttemptAt }), ...(reason && { reason }) },
          );
        },
      ),
    },
    client: {
      post: vi.fn(
        async (
          _url: string,
          headers: Readonly<Record<string, string>>,
          _body: string,
          _patience: Patience,
        ): Promise<AttemptResult> =>
          typeof result === "function" ? result(Number(headers["X-RR-Delivery-Attempt"])) : result,
      ),
    },
    now,
    random: () => 0.5,
  } satisfies DeliveryService;
  return {
    service,
    sent,
    dead,
    clock,
    register: (overrides: Partial<DeliveryEndpoint> = {}) => {
      const endpoint = anEndpoint(overrides);
      endpoints.set(endpoint.id, endpoint);
      return endpoint;
    },
    stored: (id: string) => endpoints.get(id),
    remove: (id: string) => endpoints.delete(id),
    record: (eventId: string) => records.get(eventId),
    /** The statuses that the log was told, in order. */
    logged: () => service.log.record.mock.calls.map(([, { status }]) => status),
    /** Hands every message back when it is due, until none is left. */
    async run(first: Delivery) {
      await deliver(first, service);
      for (;;) {
        sent.sort((left, right) => left.delivery.dueAt.localeCompare(right.delivery.dueAt));
        const message = sent.shift();
        if (!message) return;
        clock.ms = Math.max(clock.ms, Date.parse(message.delivery.dueAt));
        await deliver(message.delivery, { ...service, lane: message.lane });
      }
    },
  };
}

/** The same service, in the function that consumes the retry queue. */
function fromRetryQueue<Service extends DeliveryService>(service: Service): Service {
  return { ...service, lane: "retry" };
}

/** What a delivery has of its event. */
function carrying(overrides: Partial<WebhookEvent>) {
  const event = anEvent(overrides);
  return { eventId: event.id, eventType: event.type, body: JSON.stringify(event) };
}

/** What a delivery has of an event about an endpoint. */
function carryingNotice() {
  const event = anEndpointEvent();
  return { eventId: event.id, eventType: event.type, body: JSON.stringify(event) };
}

/** The counters of so many failures on each of these days, counted back from now. */
function failures(each: number, ...daysAgo: readonly number[]) {
  return Object.fromEntries(
    daysAgo.map((days) => [failureCounterOf(new Date(NOW.getTime() - days * DAY)), each]),
  );
}

function responded(statusCode: number, retryAfter?: number): AttemptResult {
  return { durationMs: 12, statusCode, retryAfter };
}

const logs = capturedLogs();
const lines = () => logs.lines().map((line) => JSON.parse(line) as Record<string, unknown>);
afterEach(closeReceivers);

describe("an event about an endpoint", () => {
  test("is sent with the same bytes at every attempt, and concerns no candidate", async () => {
    const { service, register, run } = aService((attempt) => responded(attempt < 9 ? 500 : 204));
    const { id: endpointId } = register();
    const delivery = aDelivery({ endpointId, ...carryingNotice() });

    await run(delivery);

    expect(service.client.post).toHaveBeenCalledTimes(9);
    expect(new Set(service.client.post.mock.calls.map(([, , body]) => body))).toEqual(
      new Set([delivery.body]),
    );
    expect(service.lives.find).not.toHaveBeenCalled();
  });

  test("counts as a failure of its receiver like any other", async () => {
    const { service, register } = aService(responded(500));
    const { id: endpointId } = register();

    await deliver(aDelivery({ endpointId, ...carryingNotice() }), service);

    expect(service.health.failed).toHaveBeenCalledOnce();
  });
});

describe("a delivery attempt", () => {
  test("has exactly the headers that the contract and the decisions specify", async () => {
    const { service, register } = aService();
    const endpoint = register();
    const delivery = aDelivery({ endpointId: endpoint.id, attempt: 3 });

    await deliver(delivery, service);

    expect(service.client.post).toHaveBeenCalledExactlyOnceWith(
      endpoint.url,
      {
        "Content-Type": "application/json",
        "User-Agent": expect.stringMatching(/^\w+\/\d+\.\d+\.\d+/),
        "X-RR-Signature": signatureOf(delivery.body, SECRET),
        "X-RR-Event-Id": delivery.eventId,
        "X-RR-Event-Type": delivery.eventType,
        "X-RR-Delivery-Attempt": "3",
        "webhook-id": delivery.eventId,
        "webhook-timestamp": String(NOW.getTime() / 1_000),
        "webhook-signature": expect.stringMatching(/^v1,[A-Za-z0-9+/]{43}=$/),
      },
      delivery.body,
      expect.objectContaining({ timeout: 2_000 }),
    );
    expect(JSON.parse(delivery.body)).toMatchObject({ id: delivery.eventId });
  });

  test.each([
    ["responds fast", {}, ["side", "retry", "retry"]],
    ["fails", { failingSince: NOW.toISOString() }, ["side", "retry", "retry"]],
    ["is slow", { slowSince: NOW.toISOString() }, ["retry", "retry", "retry"]],
  ])(
    "that fails is repeated from the side queue after seconds and from the retry queue later, if its endpoint %s",
    async (_how, health, lanes) => {
      const { service, register, sent } = aService(responded(500));
      const delivery = aDelivery({ endpointId: register(health).id });
      const lane = lanes[0] as LaterLane;

      await deliver(delivery, { ...service, lane });
      await deliver({ ...delivery, attempt: 2 }, { ...service, lane });
      await deliver({ ...delivery, attempt: 4 }, { ...service, lane });

      expect(sent.map((message) => message.lane)).toEqual(lanes);
    },
  );

  test.each([200, 201, 202, 204, 226, 299])("that gets a %i is the last", async (statusCode) => {
    const { service, register, sent, dead, logged } = aService(responded(statusCode));
    const delivery = aDelivery({ endpointId: register().id });

    await deliver(delivery, service);

    expect([sent, dead]).toEqual([[], []]);
    expect(logged()).toEqual(["delivered"]);
    expect(service.log.record).toHaveBeenCalledWith(delivery, {
      status: "delivered",
      lastAttempt: { attempt: 1, at: NOW.toISOString(), durationMs: 12, statusCode },
    });
  });

  test.each([
    ...[100, 199, 300, 301, 302, 304, 307, 308, 400, 401, 403, 404, 409, 422, 429, 500, 502, 503, 504].map(
      (statusCode) => [String(statusCode), responded(statusCode)] as const,
    ),
    ...(
      [
        "timeout",
        "connection_failed",
        "invalid_response",
        "name_not_resolved",
        "address_refused",
        "tls_failed",
      ] as const
    ).map((failure) => [failure, { durationMs: 10_000, failure }] as const),
  ])("that ends with %s is followed by a retry", async (_what, result) => {
    const { service, register, sent, dead } = aService(result);
    const delivery = aDelivery({ endpointId: register().id });

    await deliver(delivery, fromRetryQueue(service));

    const dueAt = new Date(NOW.getTime() + 5 * SECOND).toISOString();
    expect(sent.map((message) => message.delivery)).toEqual([
      { ...withoutBody(delivery), attempt: 2, dueAt },
    ]);
    expect(dead).toEqual([]);
    const { durationMs, ...outcome } = { ...result, retryAfter: undefined };
    expect(service.log.record).toHaveBeenCalledWith(delivery, {
      status: "pending",
      nextAttemptAt: dueAt,
      lastAttempt: { attempt: 1, at: NOW.toISOString(), durationMs, ...outcome },
    });
  });

  test("is made only when it is due if its message arrives early", async () => {
    const { service, register, sent, clock } = aService();
    const delivery = aDelivery({
      endpointId: register().id,
      dueAt: new Date(NOW.getTime() + DAY).toISOString(),
    });

    await deliver(delivery, service);

    expect(service.client.post).not.toHaveBeenCalled();
    expect(service.log.record).not.toHaveBeenCalled();
    expect(sent.map((message) => message.delivery)).toEqual([withoutBody(delivery)]);

    clock.ms += DAY;
    await deliver(delivery, service);

    expect(service.client.post).toHaveBeenCalledOnce();
  });
});

describe("a delivery message that arrives early", () => {
  const early = (ms: number) => new Date(NOW.getTime() + ms).toISOString();

  test.each([1, 200, 500])("by %i ms is attempted at once, because clocks differ", async (ms) => {
    const { service, register, sent } = aService();

    await deliver(aDelivery({ endpointId: register().id, dueAt: early(ms) }), service);

    expect(service.client.post).toHaveBeenCalledOnce();
    expect(sent).toEqual([]);
  });

  test("by 501 ms is delayed until it is due, in the retry queue", async () => {
    const { service, register, sent } = aService();

    const outcome = await deliver(aDelivery({ endpointId: register().id, dueAt: early(501) }), service);

    expect(outcome).toEqual({ status: "pending", nextAttemptAt: early(501) });
    expect(service.client.post).not.toHaveBeenCalled();
    expect(sent.map((message) => message.lane)).toEqual(["retry"]);
  });
});

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

describe("a delivery that waits", () => {
  const reasons = [{ code: "other", message: "ü 😀" }];
  const rejected = anEvent({
    type: "candidate.validation_failed",
    sequence: 4,
    data: { ...anEvent().data, status: "validation_failed", reasons },
  } as Partial<WebhookEvent>);
  const others = [
    { sequence: 2, occurredAt: NOW.toISOString(), reasons: [{ code: "other", message: "earlier" }] },
  ];
  const life: Life = {
    ...ALIVE,
    rejections: [...others, { sequence: 4, occurredAt: NOW.toISOString(), reasons }],
  };

  test("holds neither externalId nor reasons, as a retry, as a dead letter and in its record", async () => {
    const { service, register, sent, dead } = aService(responded(500));
    const endpointId = register().id;

    await deliver(aDelivery({ endpointId, ...carrying(rejected) }), service);
    await deliver(aDelivery({ endpointId, ...carrying(rejected), attempt: 11 }), fromRetryQueue(service));
    await deadLetter(aDelivery({ endpointId, ...carrying(rejected), eventId: "evt_other" }), service);

    expect(sent).toHaveLength(1);
    expect(dead).toHaveLength(2);
    expect(JSON.stringify([sent, dead])).not.toMatch(/ext-1|ü 😀|externalId|reasons/);
  });

  test("posts the same bytes as its first attempt, from the record of its candidate", async () => {
    const { service, register, run } = aService((attempt) => responded(attempt < 3 ? 500 : 204));
    service.lives.find.mockResolvedValue(life);
    const delivery = aDelivery({ endpointId: register().id, ...carrying(rejected) });

    await run(delivery);

    expect(service.client.post.mock.calls.map(([, , body]) => body)).toEqual(Array(3).fill(delivery.body));
  });

  test("holds them no longer when it moves to the retry queue; a sample and an erasure keep their body", async () => {
    const { service, register, sent } = aService();
    const endpointId = register({ slowSince: NOW.toISOString() }).id;
    const delivery = aDelivery({ endpointId, ...carrying(rejected) });
    const sample = aDelivery({ endpointId, ...carrying({ sample: true }), sample: true });
    const erasure = aDelivery({ endpointId, eventType: "candidate.erased" });

    for (const each of [delivery, sample, erasure]) await deliver(each, service);

    expect(sent.map((message) => message.delivery)).toEqual([withoutBody(delivery), sample, erasure]);
    expect(sent[0]?.delivery).not.toHaveProperty("body");
  });

  test("posts no reasons if the record has them no longer", async () => {
    const { service, register } = aService();
    service.lives.find.mockResolvedValue({ ...ALIVE, rejections: others });
    const delivery = withoutBody(aDelivery({ endpointId: register().id, attempt: 2, ...carrying(rejected) }));

    await deliver(delivery, fromRetryQueue(service));

    const [[, , body = ""] = []] = service.client.post.mock.calls;
    expect(JSON.parse(body)).toEqual({ ...rejected, data: { ...rejected.data, reasons: [] } });
  });

  test("without a body posts the same bytes, even on a first attempt soon after its event", async () => {
    const { service, register } = aService();
    const delivery = aDelivery({ endpointId: register().id });

    await deliver(withoutBody(delivery), service);

    expect(service.client.post.mock.calls.map(([, , body]) => body)).toEqual([delivery.body]);
  });

  test("and was moved to the retry queue by SQS, with its body, posts that body", async () => {
    const { service, register } = aService();
    const delivery = aDelivery({ endpointId: register().id });

    await deliver(delivery, fromRetryQueue(service));

    expect(service.client.post.mock.calls.map(([, , body]) => body)).toEqual([delivery.body]);
    expect(service.lives.find).toHaveBeenCalledOnce();
  });
});

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

describe("the slowest possible delivery", () => {
  /** An AWS request that needs its three attempts of 2 s, with the SDK's longest backoff for throttling between them. */
  const AWS_MS = 3 * 2_000 + 500 + 1_000;
  const ONCE_MS = 6_000;
  const POST_MS = 10_000;

  test("ends when the function's timeout assumes, to a receiver that hangs and to one that is set inactive", async () => {
    const failingSince = new Date(NOW.getTime() - 6 * DAY).toISOString();

    const hanging = await slowest({});
    const inactive = await slowest({ ...failures(4, 0, 1, 2), failingSince });

    // test/infra/template.test.ts holds the function's timeout against it.
    expect(Math.max(hanging, inactive)).toBe(SLOWEST_DELIVERY_MS);
  });

  /** How long a retry takes, in ms, whose requests all take as long as they may. */
  async function slowest(health: Partial<DeliveryEndpoint>): Promise<number> {
    vi.useFakeTimers({ now: NOW });
    onTestFinished(() => void vi.useRealTimers());
    const { service, register } = aService({ durationMs: POST_MS, failure: "timeout" });
    const taking = (ms: number, work: { getMockImplementation(): unknown; mockImplementation: unknown }) => {
      const quick = work.getMockImplementation() as (...args: unknown[]) => unknown;
      (work.mockImplementation as (slow: typeof quick) => void)(async (...args) => {
        await new Promise((resolve) => setTimeout(resolve, ms));
        return quick(...args);
      });
    };
    for (const request of [
      service.endpoints.find,
      service.lives.find,
      service.log.find,
      service.signingSecrets.open,
    ]) {
      taking(AWS_MS, request);
    }
    // What moves an endpoint to the other queue or makes it inactive raises its version, too.
    taking(health.failingSince ? AWS_MS : 2 * AWS_MS, service.health.failed);
    taking(2 * AWS_MS, service.health.deactivate);
    // A delivered record that stays delivered takes two requests.
    taking(2 * AWS_MS, service.log.record);
    // It may be stored in the table.
    taking(AWS_MS, service.retries.send);
    taking(ONCE_MS, service.deadLetters.send);
    taking(POST_MS, service.client.post);

    const retry = aDelivery({ endpointId: register(health).id, attempt: 2 });
    const ended = deliver(retry, fromRetryQueue(service)).then(() => Date.now());
    await vi.runAllTimersAsync();
    return (await ended) - NOW.getTime();
  }
});

describe("a delivery that exhausts its retries", () => {
  test("is dead-lettered after eleven attempts with the same id and bytes in about 76 hours", async () => {
    const { service, register, run, dead, clock, logged } = aService(responded(500));
    const times: number[] = [];
    service.client.post.mockImplementation(async () => {
      times.push((clock.ms - NOW.getTime()) / SECOND);
      return responded(500);
    });
    const delivery = aDelivery({ endpointId: register().id });

    await run(delivery);

    const waits = times.slice(1).map((time, index) => time - (times[index] ?? 0));
    expect(times[0]).toBe(0);
    expect(waits).toEqual([5, 60, 300, 1_800, 7_200, 18_000, 36_000, 50_400, 72_000, 86_400]);
    const posts = service.client.post.mock.calls;
    expect(posts.map(([, headers]) => headers["X-RR-Delivery-Attempt"])).toEqual(
      Array.from({ length: 11 }, (_, index) => String(index + 1)),
    );
    expect(new Set(posts.map(([, headers]) => headers["X-RR-Event-Id"]))).toEqual(
      new Set([delivery.eventId]),
    );
    expect(new Set(posts.map(([, , body]) => body))).toEqual(new Set([delivery.body]));
    expect(new Set(posts.map(([, headers]) => headers["X-RR-Signature"])).size).toBe(1);
    expect(dead).toEqual([
      { ...withoutBody(delivery), attempt: 11, dueAt: new Date(clock.ms).toISOString() },
    ]);
    expect(logged()).toEqual([...Array.from({ length: 10 }, () => "pending"), "failed"]);
  });

  test("has a backoff with a jitter of a fifth either way", async () => {
    await fc.assert(
      fc.asyncProperty(fc.double({ min: 0, max: 1, maxExcluded: true, noNaN: true }), async (share) => {
        const { service, register, sent, clock } = aService(responded(500));

        await deliver(aDelivery({ endpointId: register().id, attempt: 2 }), {
          ...service,
          random: () => share,
        });

        const wait = Date.parse(sent[0]?.delivery.dueAt ?? "") - clock.ms;
        expect(wait).toBeGreaterThanOrEqual(48 * SECOND);
        expect(wait).toBeLessThanOrEqual(72 * SECOND);
      }),
    );
  });

  test.each([1, 4, 8])("stops with a success after attempt %i", async (failures) => {
    const { service, register, run, dead, logged } = aService((attempt) =>
      responded(attempt > failures ? 200 : 500),
    );

    await run(aDelivery({ endpointId: register().id }));

    expect(service.client.post).toHaveBeenCalledTimes(failures + 1);
    expect(dead).toEqual([]);
    expect(logged().at(-1)).toBe("delivered");
  });

  test("reaches a real receiver with the same bytes and a valid signature each time", async () => {
    const receiver = await aReceiver((_request, index) => ({ status: index < 2 ? 500 : 200 }));
    const client = new WebhookClient(guardedAgent(AllowedNetworks.parse("127.0.0.0/8")));
    onTestFinished(() => client.close());
    const { service, register, run } = aService();
    service.client.post.mockImplementation((...post) => client.post(...post));
    const endpoint = register({ url: `http://127.0.0.1:${receiver.port}/hooks` });
    const delivery = aDelivery({ endpointId: endpoint.id });

    await run(delivery);

    expect(receiver.requests).toHaveLength(3);
    for (const { body, headers } of receiver.requests) {
      expect(body).toEqual(Buffer.from(delivery.body, "utf8"));
      expect(headers["X-RR-Signature"]).toBe(signatureOf(body.toString("utf8"), SECRET));
      expect(headers["X-RR-Event-Id"]).toBe(delivery.eventId);
    }
    expect(receiver.requests.map(({ headers }) => headers["X-RR-Delivery-Attempt"])).toEqual(["1", "2", "3"]);
  });
});

describe("a replaced signing secret", () => {
  test("signs in its own header until the moment it expires", async () => {
    const { service, register, clock } = aService();
    const endpoint = register({
      previousSealedSecret: "1.previous",
      previousSecretExpiresAt: new Date(NOW.getTime() + DAY).toISOString(),
    });
    vi.mocked<DeliveryService["signingSecrets"]["open"]>(service.signingSecrets.open).mockImplementation(
      async ({ sealedSecret }) => (sealedSecret === endpoint.sealedSecret ? SECRET : "whsec_previous"),
    );
    const delivery = aDelivery({ endpointId: endpoint.id });
    const headersAfter = async (ms: number) => {
      clock.ms = NOW.getTime() + ms;
      await deliver(delivery, service);
      return service.client.post.mock.lastCall?.[1];
    };

    const signature = signatureOf(delivery.body, SECRET);
    for (const ms of [0, DAY - 1]) {
      await expect(headersAfter(ms)).resolves.toMatchObject({
        "X-RR-Signature": signature,
        "X-RR-Signature-Previous": signatureOf(delivery.body, "whsec_previous"),
      });
    }
    const expired = await headersAfter(DAY);
    expect(expired?.["X-RR-Signature"]).toBe(signature);
    expect(expired).not.toHaveProperty("X-RR-Signature-Previous");
  });
});

describe("Retry-After", () => {
  const dueAfter = async (result: AttemptResult, attempt = 1) => {
    const { service, register, sent, clock } = aService(result);
    await deliver(aDelivery({ endpointId: register().id, attempt }), service);
    return (Date.parse(sent[0]?.delivery.dueAt ?? "") - clock.ms) / SECOND;
  };

  test.each([429, 503])("is honoured with a %i", async (statusCode) => {
    await expect(dueAfter(responded(statusCode, 3_600 * SECOND))).resolves.toBe(3_600);
  });

  test.each([301, 400, 408, 413, 500, 502, 504])("is ignored with a %i", async (statusCode) => {
    await expect(dueAfter(responded(statusCode, 3_600 * SECOND))).resolves.toBe(5);
  });

  test("extends the wait to at most 24 hours and never shortens it", async () => {
    await expect(dueAfter(responded(429, 7 * DAY))).resolves.toBe(86_400);
    await expect(dueAfter(responded(429, 1 * SECOND), 3)).resolves.toBe(300);
  });

  test("counts as an attempt", async () => {
    const { service, register, sent } = aService(responded(429, 3_600 * SECOND));

    await deliver(aDelivery({ endpointId: register().id, attempt: 2 }), fromRetryQueue(service));

    expect(sent.map((message) => message.delivery.attempt)).toEqual([3]);
  });

  test("adds no attempt after the eleventh", async () => {
    const { service, register, sent, dead } = aService(responded(503, 60 * SECOND));

    await deliver(aDelivery({ endpointId: register().id, attempt: 11 }), service);

    expect(sent).toEqual([]);
    expect(dead).toHaveLength(1);
  });
});

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

describe("a sample event", () => {
  const sample = (endpoint: DeliveryEndpoint) => aDelivery({ endpointId: endpoint.id, sample: true });

  test("is delivered even to an inactive endpoint, signed like any event", async () => {
    const { service, register, logged } = aService();
    const delivery = sample(register({ active: false }));

    await deliver(delivery, service);

    const [[, headers] = []] = service.client.post.mock.calls;
    expect(headers?.["X-RR-Signature"]).toBe(signatureOf(delivery.body, SECRET));
    expect(logged()).toEqual(["delivered"]);
  });

  test.each([
    responded(500),
    responded(429, 1),
    responded(410),
    { durationMs: 1, failure: "timeout" } as const,
  ])("is attempted once, with the outcome %j", async (result) => {
    const { service, register, sent, dead, logged, stored } = aService(result);
    const endpoint = register();

    await deliver(sample(endpoint), fromRetryQueue(service));

    expect(service.client.post).toHaveBeenCalledOnce();
    expect([sent, dead]).toEqual([[], []]);
    expect(logged()).toEqual(["failed"]);
    // It is no event that the endpoint failed to take.
    expect(stored(endpoint.id)).toEqual(endpoint);
  });

  test("causes no lookup of a candidate, however late it is", async () => {
    const { service, register } = aService();
    service.lives.find.mockResolvedValue(undefined);
    const late = carrying({ occurredAt: new Date(NOW.getTime() - DAY).toISOString() });

    await deliver({ ...sample(register()), ...late }, service);

    expect(service.client.post).toHaveBeenCalledOnce();
    expect(service.lives.find).not.toHaveBeenCalled();
  });

  test("to a deleted endpoint is dropped", async () => {
    const { service, logged } = aService();

    await deliver(sample(anEndpoint()), service);

    expect(service.client.post).not.toHaveBeenCalled();
    expect(logged()).toEqual(["dropped"]);
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

describe("a slow webhook endpoint", () => {
  const SLOW: AttemptResult = { durationMs: 2_000, failure: "timeout" };

  test("has its attempt cut after two seconds, and made again from the retry queue", async () => {
    const { service, register, sent, dead, stored } = aService(SLOW);
    const endpoint = register();
    const delivery = aDelivery({ endpointId: endpoint.id });

    const outcome = await deliver(delivery, service);

    const patience = service.client.post.mock.calls[0]?.[3];
    expect(patience).toMatchObject({ timeout: 2_000, lateAfter: 1_000 });
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

    expect(service.client.post.mock.calls[0]?.[3]).toMatchObject({ lateAfter: 1_000 });
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
    service.client.post.mockImplementationOnce(async (_url, _headers, _body, { onLate }) => {
      onLate?.();
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
      service.client.post.mockImplementationOnce(async (_url, _headers, _body, { onLate }) => {
        onLate?.();
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
    service.client.post.mockImplementationOnce(async (_url, _headers, _body, { onLate }) => {
      onLate?.();
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

describe("an internal error during a delivery", () => {
  const outage = new Error("outage");

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

test("the retry of a delivery is queued before the attempt is logged", async () => {
  const { service, register } = aService(responded(500));

  await deliver(aDelivery({ endpointId: register().id }), service);

  const [sentFirst = 0] = service.retries.send.mock.invocationCallOrder;
  const [loggedFirst = 0] = service.log.record.mock.invocationCallOrder;
  expect(sentFirst).toBeLessThan(loggedFirst);
});

test("the logs of a delivery contain ids and outcomes, and neither the body nor the secret", async () => {
  const { service, register } = aService(responded(500));
  service.log.record.mockRejectedValue(new Error("outage"));
  const delivery = aDelivery({ endpointId: register().id });

  await deliver(delivery, service);

  for (const told of [delivery.eventId, delivery.endpointId, "pending", "500", "outage"]) {
    expect(logs.text()).toContain(told);
  }
  expect(logs.text()).not.toMatch(/ext-1|whsec_|receiver\.example\.com|sha256=/);
});
